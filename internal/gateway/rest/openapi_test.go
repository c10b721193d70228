package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// walk visits every value of a JSON document with where it is.
func walk(at string, v any, visit func(at string, v any)) {
	visit(at, v)
	switch v := v.(type) {
	case map[string]any:
		for key, child := range v {
			walk(at+"/"+key, child, visit)
		}
	case []any:
		for i, child := range v {
			walk(fmt.Sprintf("%s/%d", at, i), child, visit)
		}
	}
}

func resolve(doc any, ref string) bool {
	for _, part := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		m, ok := doc.(map[string]any)
		if !ok {
			return false
		}
		if doc, ok = m[part]; !ok {
			return false
		}
	}
	return true
}

func TestOpenAPI(t *testing.T) {
	h := build(t, plan{})
	a := h.do(http.MethodGet, "/openapi.json", "", "Authorization", "").is(200)
	if a.header.Get("Content-Type") != "application/openapi+json" {
		t.Errorf("Content-Type %q", a.header.Get("Content-Type"))
	}
	doc := a.json()
	info := doc["info"].(map[string]any)
	if doc["openapi"] != "3.1.0" || info["version"] != "1.2.3" || info["title"] == "" {
		t.Errorf("head: %v %v", doc["openapi"], info)
	}
	refs := 0
	walk("", doc, func(at string, v any) {
		m, ok := v.(map[string]any)
		if !ok {
			return
		}
		if ref, ok := m["$ref"].(string); ok {
			refs++
			if !strings.HasPrefix(ref, "#/") || !resolve(doc, ref) {
				t.Errorf("%s: %s leads nowhere", at, ref)
			}
		}
		if types, ok := m["type"].([]any); ok && len(types) == 2 && types[0] == "array" {
			t.Errorf("%s: a list is never null", at)
		}
	})
	if refs < 20 {
		t.Errorf("only %d references", refs)
	}
	if strings.Contains(string(a.body), "ErrorModel") {
		t.Error("an error that is never sent is described")
	}
	ids := map[string]bool{}
	operations(doc, func(path, method string, op map[string]any) {
		id, _ := op["operationId"].(string)
		if id == "" || ids[id] || op["summary"] == nil || op["tags"] == nil {
			t.Errorf("%s %s: id %q twice or missing, or no summary or tag", method, path, id)
		}
		ids[id] = true
		checkResponses(t, method+" "+path, op["responses"].(map[string]any))
		for _, name := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(path, -1) {
			if !hasParameter(op, "path", name[1]) {
				t.Errorf("%s %s does not describe %s", method, path, name[1])
			}
		}
	})
	if len(ids) < 14 {
		t.Errorf("%d operations", len(ids))
	}
}

func operations(doc map[string]any, visit func(path, method string, op map[string]any)) {
	for path, item := range doc["paths"].(map[string]any) {
		for method, op := range item.(map[string]any) {
			visit(path, method, op.(map[string]any))
		}
	}
}

func hasParameter(op map[string]any, in, name string) bool {
	list, _ := op["parameters"].([]any)
	for _, p := range list {
		if m := p.(map[string]any); m["in"] == in && m["name"] == name {
			return true
		}
	}
	return false
}

func checkResponses(t *testing.T, what string, responses map[string]any) {
	t.Helper()
	good, bad := 0, 0
	for status, r := range responses {
		content, _ := r.(map[string]any)["content"].(map[string]any)
		if status < "300" {
			good++
			continue
		}
		bad++
		if _, ok := content["application/problem+json"]; !ok || len(content) != 1 {
			t.Errorf("%s: %s is not a problem: %v", what, status, content)
		}
	}
	if good != 1 || bad < 4 || responses["400"] == nil || responses["401"] == nil {
		t.Errorf("%s: %d answers, %d problems", what, good, bad)
	}
}

// What a body is described as is what the door reads.
func TestOpenAPIDescribesBodies(t *testing.T) {
	h := build(t, plan{})
	var doc struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Required bool
				Content  map[string]struct {
					Schema struct {
						Ref string `json:"$ref"`
					}
				}
			}
		}
	}
	if err := json.Unmarshal(h.do(http.MethodGet, "/openapi.json", "").is(200).body, &doc); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, method, schema string
		required             bool
	}{
		{"/api/v1/sessions", "post", "NewSession", false},
		{"/api/v1/sessions/{id}", "patch", "UpdateSession", true},
		{"/api/v1/sessions/{id}/messages", "post", "UserMessage", true},
		{"/api/v1/sessions/{id}/control", "post", "Control", true},
	} {
		body := doc.Paths[c.path][c.method].RequestBody
		if body.Content["application/json"].Schema.Ref != "#/components/schemas/"+c.schema || len(body.Content) != 1 || body.Required != c.required {
			t.Errorf("%s %s: %+v", c.method, c.path, body)
		}
	}
}

func TestDocsStandAlone(t *testing.T) {
	h := build(t, plan{})
	a := h.do(http.MethodGet, "/docs", "", "Authorization", "").is(200)
	page := string(a.body)
	if !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") || !strings.Contains(page, "/openapi.json") {
		t.Fatalf("no page: %v", a.header)
	}
	if found := regexp.MustCompile(`(?i)(https?:)?//[a-z0-9-]+\.[a-z]`).FindAllString(page, -1); found != nil {
		t.Errorf("the page names other hosts: %v", found)
	}
	if strings.Contains(page, "ZgotmplZ") || !strings.Contains(page, `id="WS_SESSION_NOT_FOUND"`) {
		t.Error("the page is not whole")
	}
	policy := a.header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
		t.Errorf("policy %s", policy)
	}
	for tag, directive := range map[string]string{"script": "script-src", "style": "style-src"} {
		inline := regexp.MustCompile(`(?s)<` + tag + `>(.*)</` + tag + `>`).FindStringSubmatch(page)
		if inline == nil || !strings.Contains(policy, directive+" "+sha256Of(inline[1])) {
			t.Errorf("the policy does not let the page's own %s run", tag)
		}
	}
}
