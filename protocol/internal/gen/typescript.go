package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/parley-dev/parley/protocol"
)

// tsNames renames what would hide a global of the browser.
var tsNames = map[string]string{
	"Error": "ProtocolError", "Request": "OpenRequest", "Response": "TurnResponse",
	"Window": "DesktopWindow", "Type": "MessageType",
}

func tsName(name string) string {
	if n, ok := tsNames[name]; ok {
		return n
	}
	return name
}

// typescript gives interfaces for all shapes, and the unions that a switch over
// `type` narrows.
func (m *model) typescript() []byte {
	var b bytes.Buffer
	b.WriteString("// Generated from package protocol by `make generate`; do not edit.\n\n")
	fmt.Fprintf(&b, "export const PROTOCOL_VERSION = %q;\n\n", protocol.Version)
	for _, s := range m.words {
		if s.name != "Type" {
			tsUnion(&b, s)
		}
	}
	b.WriteString("/** An answer that can be picked: a plain word, or a value with its label. */\nexport type RequestOption = string | { value: string; label: string };\n\n")
	for _, s := range m.shapes {
		tsInterface(&b, s)
	}
	m.tsFamilies(&b)
	tsTables(&b)
	return b.Bytes()
}

func tsUnion(b *bytes.Buffer, s set) {
	tsDoc(b, "", s.doc)
	fmt.Fprintf(b, "export type %s =", tsName(s.name))
	for _, w := range s.words {
		fmt.Fprintf(b, "\n  | %q", w.value)
	}
	b.WriteString(";\n\n")
}

func tsInterface(b *bytes.Buffer, s shape) {
	tsDoc(b, "", s.doc)
	if len(s.fields) == 0 {
		fmt.Fprintf(b, "export type %s = { [key: string]: never };\n\n", tsName(s.name))
		return
	}
	fmt.Fprintf(b, "export interface %s {\n", tsName(s.name))
	for _, f := range s.fields {
		tsDoc(b, "  ", f.doc)
		mark, null := "", ""
		if f.optional {
			mark = "?"
		}
		if f.nullable {
			null = " | null"
		}
		fmt.Fprintf(b, "  %s%s: %s%s;\n", f.name, mark, tsKind(f.kind), null)
	}
	b.WriteString("}\n\n")
}

func tsDoc(b *bytes.Buffer, margin, doc string) {
	if doc != "" {
		fmt.Fprintf(b, "%s/** %s */\n", margin, strings.ReplaceAll(doc, "*/", "* /"))
	}
}

func tsKind(k kind) string {
	switch k.word {
	case "integer":
		return "number"
	case "time":
		return "string"
	case "any":
		return "unknown"
	case "option":
		return "RequestOption"
	case "span":
		return "[number, number]"
	case "list":
		return tsKind(*k.inner) + "[]"
	case "map":
		return "{ [key: string]: " + tsKind(*k.inner) + " }"
	case "shape", "set":
		return tsName(k.name)
	}
	return k.word
}

// tsFamilies writes the payload of each type, and the frames around them.
func (m *model) tsFamilies(b *bytes.Buffer) {
	for _, f := range []struct {
		family protocol.Family
		name   string
		doc    string
	}{
		{protocol.Fact, "Record", "What happened: stored, numbered and sent to every client."},
		{protocol.Signal, "Signal", "What passes by: never stored."},
		{protocol.Command, "Command", "What a client asks for."},
	} {
		tsDoc(b, "", "The payload of each "+f.family.String()+".")
		fmt.Fprintf(b, "export interface %sPayloads {\n", f.name)
		for _, s := range m.family(f.family) {
			tsDoc(b, "  ", s.Doc)
			fmt.Fprintf(b, "  %s: %s;\n", s.Type, tsName(s.payload))
		}
		fmt.Fprintf(b, "}\n\nexport type %sType = keyof %sPayloads;\n\n", f.name, f.name)
		tsDoc(b, "", f.doc)
		fmt.Fprintf(b, "export type %[1]sFrame = { [T in %[1]sType]: %[1]sEnvelope<T, %[1]sPayloads[T]> }[%[1]sType];\n\n", f.name)
	}
	b.WriteString(tsEnvelopes)
}

const tsEnvelopes = `export interface RecordEnvelope<T extends string, D> {
  type: T;
  session_id: string;
  /** A cursor: reconnect with it to get everything after it. */
  message_id: string;
  timestamp: string;
  agent_id?: string;
  monitor_id?: string;
  cause?: Cause;
  data: D;
}

export interface SignalEnvelope<T extends string, D> {
  type: T;
  session_id: string;
  timestamp: string;
  agent_id?: string;
  monitor_id?: string;
  data: D extends Empty ? D | undefined : D;
}

export interface CommandEnvelope<T extends string, D> {
  type: T;
  session_id?: string;
  /** The client's own id: the server acts once however often it is sent. */
  message_id?: string;
  timestamp?: string;
  agent_id?: string;
  monitor_id?: string;
  data?: D;
}

export type MessageType = RecordType | SignalType | CommandType;

/** Whatever a server may send. */
export type ServerFrame = RecordFrame | SignalFrame;

`

func tsTables(b *bytes.Buffer) {
	tsDoc(b, "", "The records, by which a client tells them from signals.")
	b.WriteString("export const RECORD_TYPES: readonly RecordType[] = [\n")
	for _, s := range protocol.Table() {
		if s.Family == protocol.Fact {
			fmt.Fprintf(b, "  %q,\n", s.Type)
		}
	}
	b.WriteString("];\n\n")
	tsDoc(b, "", "Every error by its name.")
	b.WriteString("export const ERROR_CODES = {\n")
	for _, e := range protocol.Errors() {
		tsDoc(b, "  ", e.Doc)
		fmt.Fprintf(b, "  %s: %d,\n", e.Name, e.Code)
	}
	b.WriteString("} as const;\n\nexport type ErrorName = keyof typeof ERROR_CODES;\nexport type ErrorCode = (typeof ERROR_CODES)[ErrorName];\n\n")
	tsDoc(b, "", "Why the server closes a connection, and whether to come back.")
	b.WriteString("export const CLOSE_CODES = {\n")
	for _, c := range protocol.CloseCodes() {
		fmt.Fprintf(b, "  %d: { reconnect: %t, doc: %q },\n", c.Code, c.Reconnect, c.Doc)
	}
	b.WriteString("} as const;\n\nexport type CloseCode = keyof typeof CLOSE_CODES;\n\n")
	tsDoc(b, "", "What an open ask means for the session.")
	b.WriteString("export const ASK_CLASSES: { readonly [A in Ask]: AskClass } = {\n")
	for _, a := range protocol.Asks() {
		fmt.Fprintf(b, "  %s: %q,\n", a.Ask, a.Class)
	}
	b.WriteString("};\n")
}
