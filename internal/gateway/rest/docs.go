package rest

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"

	"github.com/parley-dev/parley/protocol"
)

//go:embed docs/page.html
var docsPage string

//go:embed docs/page.css
var docsStyle string

//go:embed docs/page.js
var docsScript string

// newDocs makes the page that shows /openapi.json. It stands alone: it asks
// nobody but this server for anything, and its policy lets it do nothing else.
func newDocs() http.Handler {
	var page bytes.Buffer
	err := template.Must(template.New("docs").Parse(docsPage)).Execute(&page, map[string]any{
		"Style": template.CSS(docsStyle), "Script": template.JS(docsScript), "Errors": protocol.Errors(),
	})
	if err != nil {
		panic("rest: the page of the API cannot be made: " + err.Error()) // it is part of the program
	}
	policy := "default-src 'none'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
		"script-src " + hashOf(docsScript) + "; style-src " + hashOf(docsStyle)
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", policy)
		_, _ = w.Write(page.Bytes())
	})
}

// hashOf names an inline text in a content security policy.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
