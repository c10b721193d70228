package protocol_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-dev/parley/protocol"
)

// constants gives the values of all constants of a type, read from the source:
// a table that lacks one is found out.
func constants(t *testing.T, typeName string) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if id, ok := spec.Type.(*ast.Ident); ok && id.Name == typeName {
				for _, v := range spec.Values {
					values = append(values, strings.Trim(v.(*ast.BasicLit).Value, `"`))
				}
			}
			return true
		})
	}
	if len(values) == 0 {
		t.Fatalf("no constants of type %s", typeName)
	}
	return values
}

// sameSet wants every constant in the table, once.
func sameSet(t *testing.T, what string, table []string, source []string) {
	t.Helper()
	slices.Sort(table)
	slices.Sort(source)
	if !slices.Equal(table, source) {
		t.Errorf("%s\n table %v\nsource %v", what, table, source)
	}
	if n := len(slices.Compact(slices.Clone(table))); n != len(table) {
		t.Errorf("%s: something is there twice in %v", what, table)
	}
}

func texts[T any](rows []T, text func(T) string) []string {
	var out []string
	for _, r := range rows {
		out = append(out, text(r))
	}
	return out
}

func TestTablesAreComplete(t *testing.T) {
	sameSet(t, "types", texts(protocol.Table(), func(s protocol.Spec) string { return string(s.Type) }), constants(t, "Type"))
	sameSet(t, "asks", texts(protocol.Asks(), func(s protocol.AskSpec) string { return string(s.Ask) }), constants(t, "Ask"))
	sameSet(t, "says", texts(protocol.Says(), func(s protocol.Say) string { return string(s) }), constants(t, "Say"))
	sameSet(t, "statuses", texts(protocol.Statuses(), func(s protocol.Status) string { return string(s) }), constants(t, "Status"))
	sameSet(t, "classes", texts(protocol.ToolClasses(), func(c protocol.ToolClass) string { return string(c) }), constants(t, "ToolClass"))
	sameSet(t, "errors", texts(protocol.Errors(), func(s protocol.ErrorSpec) string { return itoa(int(s.Code)) }), constants(t, "Code"))
	sameSet(t, "close codes", texts(protocol.CloseCodes(), func(s protocol.CloseSpec) string { return itoa(int(s.Code)) }), constants(t, "CloseCode"))
}

func TestErrorRows(t *testing.T) {
	names := make(map[string]bool)
	for _, s := range protocol.Errors() {
		if names[s.Name] || !strings.HasPrefix(s.Name, "WS_") {
			t.Errorf("%d: name %q is taken or has no WS_", s.Code, s.Name)
		}
		names[s.Name] = true
		if s.HTTP < 400 || s.HTTP > 599 || s.Action == "" || s.Doc == "" {
			t.Errorf("%s: row is not whole: %+v", s.Name, s)
		}
		e := protocol.Errorf(s.Code, "x")
		if e.Name != s.Name || e.Recoverable != s.Recoverable || e.SuggestedAction != s.Action {
			t.Errorf("%s: Errorf gives %+v", s.Name, e)
		}
	}
}

func TestCloseRanges(t *testing.T) {
	for _, s := range protocol.CloseCodes() {
		if s.Code >= 4000 && s.Reconnect != (s.Code < 4500) {
			t.Errorf("%d is in the wrong range", s.Code)
		}
		if s.Code.Reconnect() != s.Reconnect {
			t.Errorf("%d: Reconnect differs from its row", s.Code)
		}
	}
}

func TestRows(t *testing.T) {
	for _, s := range protocol.Table() {
		if s.Doc == "" || !strings.HasSuffix(s.Doc, ".") || s.Group == "" {
			t.Errorf("%s: a row has a group and a sentence: %+v", s.Type, s)
		}
		if got, ok := protocol.Lookup(s.Type); !ok || got.Family != s.Family || got.Doc != s.Doc {
			t.Errorf("%s: Lookup gives %+v", s.Type, got)
		}
		if got := protocol.CanonicalType(strings.ToUpper(string(s.Type))); got != s.Type {
			t.Errorf("%s: CanonicalType gives %s", s.Type, got)
		}
	}
	if _, ok := protocol.Lookup("no_such_type"); ok {
		t.Error("Lookup finds what is not there")
	}
}

func TestEveryAskHasItsClass(t *testing.T) {
	for _, s := range protocol.Asks() {
		if s.Ask.Class() != s.Class || s.Class == "" || s.Doc == "" {
			t.Errorf("%s: %+v", s.Ask, s)
		}
	}
}
