/** Answers in the form that each kind of question takes. */
import type { InputType, OpenRequest } from "@parley/client";

export interface Option {
  value: string;
  label: string;
}

/** The answers to pick from. The session's own questions have names in the language of the page. */
export function optionsOf(request: OpenRequest, names: { readonly [value: string]: string }): Option[] {
  return (request.options ?? []).map((o) => {
    if (typeof o !== "string") return o;
    const own = request.field && ["failed_todos", "outcome"].includes(request.field);
    return { value: o, label: (own && names[o]) || o };
  });
}

/** The value of what is filled in; undefined while there is none. */
export function valueOf(kind: InputType, text: string, many: readonly string[]): unknown {
  switch (kind) {
    case "multi_choice":
      return many.length > 0 ? many : undefined;
    case "number":
      return text.trim() === "" || Number.isNaN(Number(text)) ? undefined : Number(text);
    default:
      return text.trim() === "" ? undefined : text.trim();
  }
}
