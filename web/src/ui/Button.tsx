import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import { Icon } from "./Icon";
import type { IconName } from "./Icon";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: "plain" | "main" | "danger" | "quiet";
  icon?: IconName;
  /** The key that does the same, shown behind the words. */
  hint?: string;
  ref?: Ref<HTMLButtonElement>;
  children?: ReactNode;
}

export function Button({ look = "plain", icon, hint, children, className = "", ...rest }: ButtonProps) {
  return (
    <button type="button" className={`button button-${look} ${className}`} {...rest}>
      {icon && <Icon name={icon} size={16} />}
      {children && <span>{children}</span>}
      {hint && <kbd aria-hidden="true">{hint}</kbd>}
    </button>
  );
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  icon: IconName;
  label: string;
  count?: number;
  ref?: Ref<HTMLButtonElement>;
}

/** A button that is an icon only; its label is what a screen reader says and a pointer is shown. */
export function IconButton({ icon, label, count, className = "", ...rest }: IconButtonProps) {
  return (
    <button type="button" className={`icon-button ${className}`} aria-label={label} title={label} {...rest}>
      <Icon name={icon} />
      {count ? <span className="count" data-count={count} /> : null}
    </button>
  );
}
