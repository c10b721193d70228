import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { followPrefs } from "./app/prefs";
import { takeToken } from "./app/token";
import "./styles/index.css";

followPrefs();
createRoot(document.getElementById("root")!).render(<App given={takeToken()} />);
