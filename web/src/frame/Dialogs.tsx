import { useContext } from "react";
import { OpenedContext } from "../app/context";
import { useDesk } from "../app/desk";
import { Help } from "../keys/Help";
import { Palette } from "../keys/Palette";
import { DeleteSession } from "../sessions/DeleteSession";
import { NewSession } from "../sessions/NewSession";
import { BackDialog } from "../time/BackDialog";
import { CompareDialog } from "../time/CompareDialog";
import { ForkDialog } from "../time/ForkDialog";

/** Whichever dialog is open. */
export function Dialogs() {
  const { dialog, open } = useDesk();
  const opened = useContext(OpenedContext);
  const close = () => open(null);
  if (!dialog) return null;
  switch (dialog.of) {
    case "new":
      return <NewSession onClose={close} />;
    case "palette":
      return <Palette onClose={close} />;
    case "help":
      return <Help onClose={close} />;
    case "delete":
      return <DeleteSession id={dialog.id} title={dialog.title} onClose={close} />;
  }
  if (!opened) return null;
  switch (dialog.of) {
    case "back":
      return <BackDialog {...dialog} onClose={close} />;
    case "compare":
      return <CompareDialog {...dialog} onClose={close} />;
    case "fork":
      return <ForkDialog at={dialog.at} onClose={close} />;
  }
}
