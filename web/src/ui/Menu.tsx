import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";
import { Icon } from "./Icon";
import type { IconName } from "./Icon";

export interface MenuItem {
  label: string;
  icon?: IconName;
  danger?: boolean;
  disabled?: boolean;
  run: () => void;
}

/** A list of things to do behind a button; null draws a line between them. */
export function Menu({ trigger, items, align = "end" }: { trigger: ReactNode; items: readonly (MenuItem | null)[]; align?: "start" | "end" }) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align={align} sideOffset={4} collisionPadding={8}>
          {items.map((item, i) =>
            item ? (
              <DropdownMenu.Item key={item.label} className={item.danger ? "menu-item menu-danger" : "menu-item"} disabled={item.disabled ?? false} onSelect={item.run}>
                {item.icon && <Icon name={item.icon} size={16} />}
                {item.label}
              </DropdownMenu.Item>
            ) : (
              <DropdownMenu.Separator key={i} className="menu-line" />
            ),
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
