import { Dialog as Radix } from "radix-ui";
import { useEffect, useState } from "react";
import type { ReactNode } from "react";
import { useWords } from "../words";
import { IconButton } from "./Button";
import { dismissAll } from "./toasts";

interface DialogProps {
  title: string;
  description?: ReactNode;
  wide?: boolean;
  onClose: () => void;
  children?: ReactNode;
  /** The buttons at the foot. */
  foot?: ReactNode;
}

/** A window over the page. Escape and a click beside it close it; focus goes back to where it was. A list that is open in it closes first. */
export function Dialog({ title, description, wide, onClose, children, foot }: DialogProps) {
  const w = useWords();
  const [before] = useState(() => document.activeElement);
  useEffect(dismissAll, []); // a notice would lie over the buttons
  const back = (e: Event) => {
    e.preventDefault(); // Radix would give the focus to a trigger, and there is none
    if (before instanceof HTMLElement) before.focus();
  };
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="overlay" />
        <Radix.Content className={wide ? "dialog dialog-wide" : "dialog"} onCloseAutoFocus={back} onEscapeKeyDown={(e) => document.querySelector("[data-escapes]") && e.preventDefault()} {...(description ? {} : { "aria-describedby": undefined })}>
          <header className="dialog-head">
            <Radix.Title className="dialog-title">{title}</Radix.Title>
            <Radix.Close asChild>
              <IconButton icon="cross" label={w.close} />
            </Radix.Close>
          </header>
          {description && <Radix.Description className="dialog-text">{description}</Radix.Description>}
          <div className="dialog-body">{children}</div>
          {foot && <footer className="dialog-foot">{foot}</footer>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
