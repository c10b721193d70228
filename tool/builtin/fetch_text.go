package builtin

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html/charset"

	"github.com/parley-dev/parley/tool"
)

// result turns what came into what a model reads.
func (f *fetched) result(in fetchInput) tool.Result {
	kind, _, err := mime.ParseMediaType(f.kind)
	if err != nil || kind == "" {
		kind, _, _ = mime.ParseMediaType(http.DetectContentType(f.body))
	}
	out := tool.Result{IsError: f.status >= 400}
	text, notes := "", []string{fmt.Sprintf("%s, status %d, %s", brief(f.url), f.status, brief(kind))}
	switch image := imageType(f.body); {
	case image != "" && f.whole && len(f.body) <= tool.MaxImage:
		out.Images = []tool.Image{{MediaType: image, Data: f.body}}
		notes = append(notes, fmt.Sprintf("a picture of %d bytes", len(f.body)))
	case !isText(kind, f.body):
		notes = append(notes, fmt.Sprintf("%s bytes that are not text, not shown", f.size()))
	case isHTML(kind) && !in.Raw:
		text = f.markdown()
	default:
		text = decoded(f.body, f.kind)
	}
	text, left := window(strings.ToValidUTF8(text, "\uFFFD"), in.Offset)
	if left > 0 {
		notes = append(notes, fmt.Sprintf("%d bytes are left; go on with offset %d", left, in.Offset+len(text)))
	}
	if !f.whole {
		notes = append(notes, fmt.Sprintf("only the first %d bytes were read", fetchMost))
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	out.Text = text + "[" + strings.Join(notes, "; ") + "]\n"
	out.Summary = facts(struct {
		URL    string `json:"url"`
		Status int    `json:"status"`
		Type   string `json:"type"`
		Bytes  int    `json:"bytes"`
	}{brief(f.url), f.status, brief(kind), len(f.body)})
	return out
}

func (f *fetched) size() string {
	if f.whole {
		return fmt.Sprint(len(f.body))
	}
	return fmt.Sprintf("more than %d", fetchMost)
}

func isHTML(kind string) bool { return kind == "text/html" || kind == "application/xhtml+xml" }

// isText goes by the type that was sent, and by the bytes where that says little.
func isText(kind string, body []byte) bool {
	switch {
	case strings.HasPrefix(kind, "text/"), strings.HasSuffix(kind, "+json"), strings.HasSuffix(kind, "+xml"):
		return true
	case kind == "application/json", kind == "application/xml", kind == "application/javascript", kind == "application/yaml", kind == "application/x-ndjson", kind == "application/toml":
		return true
	case strings.HasPrefix(kind, "image/"), strings.HasPrefix(kind, "audio/"), strings.HasPrefix(kind, "video/"):
		return false
	}
	start := body[:min(len(body), sniffed)]
	return bytes.IndexByte(start, 0) < 0 && utf8.Valid(start[:wholeRunes(start)])
}

// decoded gives text as UTF-8, from the encoding that the answer or the page names.
func decoded(body []byte, kind string) string {
	if _, params, _ := mime.ParseMediaType(kind); params["charset"] == "" && utf8.Valid(body) {
		return string(body)
	}
	r, err := charset.NewReader(bytes.NewReader(body), kind)
	if err != nil { // nobody knows the encoding
		return string(body)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return string(body)
	}
	return string(text)
}

// markdown gives a page of HTML as Markdown; one that cannot be read so, as it is.
func (f *fetched) markdown() string {
	page := decoded(f.body, f.kind)
	c := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))
	text, err := c.ConvertString(page, converter.WithDomain(f.url))
	if err != nil {
		return page
	}
	return text
}

// window cuts a part out of a text, by whole characters, and says how much is
// left after it.
func window(text string, offset int) (part string, left int) {
	if offset >= len(text) {
		return "", 0
	}
	for offset > 0 && !utf8.RuneStart(text[offset]) {
		offset--
	}
	text = text[offset:]
	if len(text) <= fetchText {
		return text, 0
	}
	n := fetchText
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n], len(text) - n
}
