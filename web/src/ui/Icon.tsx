/** Icons, drawn in one stroke width. */
const PATHS = {
  plus: "M12 5v14M5 12h14",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM20 20l-4-4",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  pause: "M9 6v12M15 6v12",
  play: "M8 5.500l10 6.500-10 6.500z",
  check: "M5 12.500l4.500 4.500L19 7.500",
  cross: "M6 6l12 12M18 6L6 18",
  skip: "M6 6l8 6-8 6zM18 6v12",
  retry: "M19 12a7 7 0 1 1-2.200-5.100M19 4v4h-4",
  undo: "M8 5L4 9l4 4M4 9h10a5 5 0 0 1 0 10h-4",
  compare: "M5 8h13M15 5l3 3-3 3M19 16H6M9 13l-3 3 3 3",
  fork: "M7 4v8a4 4 0 0 0 4 4h6M7 4v16M14 13l3 3-3 3",
  clock: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4l3 2",
  plan: "M5 6h5v4H5zM14 14h5v4h-5zM10 8h4a2 2 0 0 1 2 2v4",
  chat: "M5 5h14a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1h-7l-4 4v-4H5a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1z",
  info: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 11v5M12 8h.01",
  files: "M7 4h7l4 4v12H7zM14 4v4h4",
  gear: "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM12 3v3M12 18v3M3 12h3M18 12h3M5.600 5.600l2.100 2.100M16.300 16.300l2.100 2.100M5.600 18.400l2.100-2.100M16.300 7.700l2.100-2.100",
  menu: "M5 7h14M5 12h14M5 17h14",
  more: "M6 12h.01M12 12h.01M18 12h.01",
  down: "M6 9l6 6 6-6",
  right: "M9 6l6 6-6 6",
  up: "M6 15l6-6 6 6",
  left: "M15 6l-6 6 6 6",
  copy: "M9 9h10v10H9zM5 15V5h10",
  edit: "M5 19h4L19 9l-4-4L5 15zM13 7l4 4",
  trash: "M5 7h14M10 7V5h4v2M7 7l1 12h8l1-12",
  tool: "M14 7a4 4 0 0 0 5 5l-7 7-4-4 7-7zM5 19l3-3",
  terminal: "M5 7l5 5-5 5M12 17h7",
  thought: "M12 4a6 6 0 0 1 3 11v2H9v-2a6 6 0 0 1 3-11zM10 20h4",
  warn: "M12 4l9 16H3zM12 10v4M12 17h.01",
  bell: "M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 20h4",
  image: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M9 9h.01",
  pin: "M9 4h6l-1 6 3 3H7l3-3zM12 13v7",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  upload: "M12 16V5M7 9l5-5 5 5M5 20h14",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  person: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM5 20a7 7 0 0 1 14 0",
  keyboard: "M3 7h18v10H3zM7 11h.01M11 11h.01M15 11h.01M8 14h8",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
