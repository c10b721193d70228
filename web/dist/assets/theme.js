// Before anything is drawn: the colours that were chosen, so that they do not change under one's eyes.
try {
  const { theme, language } = JSON.parse(localStorage.getItem("parley.prefs") || "{}");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  document.documentElement.lang = language || (navigator.language.startsWith("ko") ? "ko" : "en");
} catch {}
