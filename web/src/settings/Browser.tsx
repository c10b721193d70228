import { setPrefs, usePrefs } from "../app/prefs";
import type { Language, Theme } from "../app/prefs";
import { Choice, Switch } from "../ui/Field";
import { toast } from "../ui/toasts";
import { useWords } from "../words";

/** What holds for this browser only. */
export function Browser() {
  const w = useWords();
  const prefs = usePrefs();
  const themes: { value: Theme; label: string }[] = [
    { value: "system", label: w.themes.system }, { value: "light", label: w.themes.light }, { value: "dark", label: w.themes.dark },
  ];
  const languages: { value: Language; label: string }[] = [{ value: "en", label: "English" }, { value: "ko", label: "한국어" }];
  const notify = async (on: boolean) => {
    if (on && (!("Notification" in window) || (await Notification.requestPermission()) !== "granted")) {
      toast(w.notifyRefused, { bad: true });
      return;
    }
    setPrefs({ notify: on });
  };
  return (
    <>
      <Choice label={w.theme} value={prefs.theme} options={themes} onChange={(theme) => setPrefs({ theme })} />
      <Choice label={w.language} value={prefs.language} options={languages} onChange={(language) => setPrefs({ language })} />
      <Switch label={w.notify} help={w.notifyHelp} checked={prefs.notify} onChange={(on) => void notify(on)} />
      <Switch label={w.enterSends} help={w.enterSendsHelp} checked={prefs.enterSends} onChange={(enterSends) => setPrefs({ enterSends })} />
    </>
  );
}
