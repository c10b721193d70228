// Command gen writes what follows from the table of types: the JSON Schema, the
// AsyncAPI document, the TypeScript types and the reference. The same source
// always gives the same bytes.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	root := flag.String("root", "..", "the root of the repository")
	flag.Parse()
	if err := run(*root); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	files, err := generate(filepath.Join(root, "protocol"))
	if err != nil {
		return err
	}
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

const (
	schemaFile     = "docs/schema/parley.schema.json"
	asyncapiFile   = "docs/asyncapi.json"
	referenceFile  = "docs/reference.md"
	typescriptFile = "clients/ts/src/types.gen.ts"
)

// generate gives every file by its path from the root of the repository.
func generate(source string) (map[string][]byte, error) {
	m, err := load(source)
	if err != nil {
		return nil, err
	}
	schema, err := indent(m.schema())
	if err != nil {
		return nil, fmt.Errorf("write the schema: %w", err)
	}
	asyncapi, err := indent(m.asyncapi())
	if err != nil {
		return nil, fmt.Errorf("write the AsyncAPI document: %w", err)
	}
	return map[string][]byte{
		schemaFile:     schema,
		asyncapiFile:   asyncapi,
		referenceFile:  m.reference(),
		typescriptFile: m.typescript(),
	}, nil
}
