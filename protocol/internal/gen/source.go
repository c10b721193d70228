package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
)

// source is what only the Go text tells: comments and constants.
type source struct {
	types  map[string]string            // doc by type name
	fields map[string]map[string]string // doc by type and Go field name
	words  map[string][]word            // constants by type name, in order
}

// word is one value of a type that is a set of words.
type word struct{ value, doc string }

func readSource(dir string) (*source, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	s := &source{make(map[string]string), make(map[string]map[string]string), make(map[string][]word)}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				s.read(g)
			}
		}
	}
	if len(s.types) == 0 {
		return nil, fmt.Errorf("no Go types in %s", dir)
	}
	return s, nil
}

func (s *source) read(g *ast.GenDecl) {
	for _, spec := range g.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			s.types[spec.Name.Name] = text(spec.Doc, g.Doc)
			if st, ok := spec.Type.(*ast.StructType); ok {
				s.fields[spec.Name.Name] = fieldDocs(st)
			}
		case *ast.ValueSpec:
			s.readConstant(spec)
		}
	}
}

func fieldDocs(st *ast.StructType) map[string]string {
	docs := make(map[string]string)
	for _, f := range st.Fields.List {
		for _, name := range f.Names {
			docs[name.Name] = text(f.Doc, f.Comment)
		}
	}
	return docs
}

func (s *source) readConstant(spec *ast.ValueSpec) {
	id, ok := spec.Type.(*ast.Ident)
	if !ok || len(spec.Values) != 1 {
		return
	}
	lit, ok := spec.Values[0].(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return
	}
	if value, err := strconv.Unquote(lit.Value); err == nil {
		s.words[id.Name] = append(s.words[id.Name], word{value, text(spec.Doc, spec.Comment)})
	}
}

// text gives the first comment there is, in one line.
func text(groups ...*ast.CommentGroup) string {
	for _, g := range groups {
		if g != nil {
			return strings.Join(strings.Fields(g.Text()), " ")
		}
	}
	return ""
}

// about turns a Go comment, which begins with the name, into a sentence: "Todo
// is one step" becomes "One step", other verbs stay.
func about(name, doc string) string {
	rest, ok := strings.CutPrefix(doc, name+" ")
	if !ok {
		return doc
	}
	for _, verb := range []string{"is ", "are "} {
		if after, ok := strings.CutPrefix(rest, verb); ok {
			rest = after
			break
		}
	}
	return strings.ToUpper(rest[:1]) + rest[1:]
}
