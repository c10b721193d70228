package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/parley-dev/parley/protocol"
)

// reference is the part of the documentation that the source can tell.
func (m *model) reference() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, referenceHead, protocol.Version, len(m.specs))
	for _, f := range []struct {
		family protocol.Family
		title  string
		doc    string
	}{
		{protocol.Fact, "Records", "What happened. A record has a sequence number, is stored and is sent to every client."},
		{protocol.Signal, "Signals", "What passes by. A signal has no `message_id` and is never stored."},
		{protocol.Command, "Commands", "What a client asks for. A command is never stored; one that carries a `message_id` is answered with `ack` and acted on once."},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", f.title, f.doc)
		group := ""
		for _, s := range m.family(f.family) {
			if s.Group != group {
				group = s.Group
				fmt.Fprintf(&b, "\n### %s: %s\n", f.title, group)
			}
			m.writeType(&b, s)
		}
	}
	m.writeShapes(&b)
	m.writeWords(&b)
	writeTables(&b)
	return b.Bytes()
}

const referenceHead = `<!-- Generated from package protocol by ` + "`make generate`" + `; do not edit. -->

# Protocol reference

Version %s: %d types, generated from the table in ` + "`protocol/table.go`" + `. The same as data:
[JSON Schema](schema/parley.schema.json), [AsyncAPI](asyncapi.json).

Every message, both ways, is one JSON object:

| field | kind | meaning |
| --- | --- | --- |
| ` + "`type`" + ` | string | what it is; a client's type is matched without regard to case |
| ` + "`session_id`" + ` | string | the session |
| ` + "`message_id`" + ` | string | of a record: its cursor, ` + "`msg_`" + ` and its sequence number; of a command: the client's own id, at most 128 characters; a signal has none |
| ` + "`timestamp`" + ` | time | RFC 3339 in UTC, with milliseconds |
| ` + "`agent_id`" + `, ` + "`monitor_id`" + ` | string | whom it concerns, if anyone in particular |
| ` + "`cause`" + ` | [Cause](#cause-shape) | in a record: the client message that made it |
| ` + "`data`" + ` | object | the payload, below |

In the tables, a field marked *opt* may be missing. Lists are never null. Readers pass over fields they do not know.
`

func (m *model) writeType(b *bytes.Buffer, s spec) {
	fmt.Fprintf(b, "\n#### %s\n\n%s", s.Type, s.Doc)
	if s.Later {
		b.WriteString(" *Its place is fixed; it is not built yet.*")
	}
	fmt.Fprintf(b, " ([example](../protocol/testdata/golden/%s/%s.json))\n", s.Family, s.Type)
	for _, sh := range m.shapes {
		if sh.name == s.payload {
			writeFields(b, sh)
		}
	}
}

func writeFields(b *bytes.Buffer, s shape) {
	if len(s.fields) == 0 {
		b.WriteString("\nIt carries no data.\n")
		return
	}
	b.WriteString("\n| field | kind | | meaning |\n| --- | --- | --- | --- |\n")
	for _, f := range s.fields {
		mark := ""
		if f.optional {
			mark = "opt"
		}
		k := mdKind(f.kind)
		if f.nullable {
			k += " or null"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", f.name, k, mark, cell(f.doc))
	}
}

// cell keeps a text inside its column.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func mdKind(k kind) string {
	switch k.word {
	case "list":
		return "list of " + mdKind(*k.inner)
	case "map":
		return "object of " + mdKind(*k.inner)
	case "span":
		return "[from, to]"
	case "option":
		return "string or {value, label}"
	case "shape", "set":
		// The anchor says which, for there may be a type of the same name.
		return fmt.Sprintf("[%s](#%s-%s)", k.name, strings.ToLower(k.name), section[k.word])
	}
	return k.word
}

// section is what the headings of shapes and sets end with.
var section = map[string]string{"shape": "shape", "set": "words"}

// writeShapes lists the structs that are inside payloads.
func (m *model) writeShapes(b *bytes.Buffer) {
	inside := m.inside()
	b.WriteString("\n## Shapes\n\nWhat payloads are made of.\n")
	for _, s := range m.shapes {
		if !inside[s.name] {
			continue
		}
		fmt.Fprintf(b, "\n### %s shape\n\n%s\n", s.name, s.doc)
		writeFields(b, s)
	}
}

// inside names the shapes that a field refers to.
func (m *model) inside() map[string]bool {
	names := map[string]bool{"Cause": true}
	for _, s := range m.shapes {
		for _, f := range s.fields {
			k := f.kind
			for k.inner != nil {
				k = *k.inner
			}
			names[k.name] = true
		}
	}
	return names
}

func (m *model) writeWords(b *bytes.Buffer) {
	b.WriteString("\n## Words\n\nThe values that a field may have.\n")
	for _, s := range m.words {
		if s.name == "Type" {
			fmt.Fprintf(b, "\n### %s words\n\n%s One of the types on this page.\n", s.name, s.doc)
			continue
		}
		if s.name == "Ask" {
			writeAsks(b, s)
			continue
		}
		fmt.Fprintf(b, "\n### %s words\n\n%s\n\n", s.name, s.doc)
		for _, w := range s.words {
			fmt.Fprintf(b, "- `%s`", w.value)
			if w.doc != "" {
				fmt.Fprintf(b, ": %s", w.doc)
			}
			b.WriteByte('\n')
		}
	}
}

func writeAsks(b *bytes.Buffer, s set) {
	fmt.Fprintf(b, "\n### %s words\n\n%s\n\n| ask | class | question |\n| --- | --- | --- |\n", s.name, s.doc)
	for _, a := range protocol.Asks() {
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", a.Ask, a.Class, cell(a.Doc))
	}
}

func writeTables(b *bytes.Buffer) {
	b.WriteString("\n## Errors\n\nThe same codes on every door. *Again* says whether it makes sense to try again.\n\n| code | name | HTTP | again | suggested action | meaning |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, e := range protocol.Errors() {
		fmt.Fprintf(b, "| %d | `%s` | %d | %s | `%s` | %s |\n", e.Code, e.Name, e.HTTP, yes(e.Recoverable), e.Action, cell(e.Doc))
	}
	b.WriteString("\n## Close codes\n\nFrom 4000 to 4499 a client should reconnect, from 4500 to 4999 it should not.\n\n| code | reconnect | meaning |\n| --- | --- | --- |\n")
	for _, c := range protocol.CloseCodes() {
		fmt.Fprintf(b, "| %d | %s | %s |\n", c.Code, yes(c.Reconnect), cell(c.Doc))
	}
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
