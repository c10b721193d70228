package offline

import (
	"path"
	"regexp"
	"strings"
)

var (
	quoted = regexp.MustCompile("`([^`\n]+)`|\"([^\"\n]+)\"|“([^”\n]+)”")
	// A name with a suffix, or a path. Both end where letters of a Korean
	// particle begin: “data.csv를”.
	suffixed = regexp.MustCompile(`[\p{L}\p{N}_./+@%~-]*\.[A-Za-z][A-Za-z0-9]{0,7}|(?:[\p{L}\p{N}_.+@%~-]+/)+[A-Za-z0-9_.+@%~-]*`)
	called   = regexp.MustCompile(`(?i)\b(?:folder|directory)\s+(?:called|named)\s+([\w.-]+)`)
	folder   = regexp.MustCompile(`(?i)\b([\w.-]+)\s+(?:folder|directory)\b|([\p{L}\p{N}_.-]+)\s+(?:폴더|디렉터리)`)
	here     = regexp.MustCompile(`(?i)\bhere\b|\b(?:this|the|current|my)\s+(?:\w+\s+)?(?:folder|directory|workspace|project|repository|repo)\b|^\.$|여기|(?:이|현재|지금)\s*(?:폴더|디렉터리|프로젝트|저장소)|작업\s*공간|폴더|프로젝트`)
	vague    = regexp.MustCompile(`(?i)^(?:it|this|that|them|these|those|something|anything|stuff|things?|one|the|a|an|그거|이거|저거|그것|이것|저것|아무거나|뭔가|좀)?[\s.!?]*$`)
	article  = regexp.MustCompile(`(?i)^(?:the|a|an|my|our|some|this|that|current|whole|entire|in|of|이|그|현재|지금|전체)$`)
)

// named finds the file or folder that a text speaks of; "" if there is none.
func named(text string) string {
	if m := quoted.FindStringSubmatch(text); m != nil {
		return strings.TrimSpace(m[1] + m[2] + m[3])
	}
	if m := suffixed.FindString(text); m != "" {
		return m
	}
	if name := namedFolder(text); name != "" {
		return name
	}
	if here.MatchString(text) {
		return "."
	}
	return ""
}

// namedFolder is a folder's own name: in “the src folder” and “the folder called
// src”, not in “this folder”.
func namedFolder(text string) string {
	if name := group(called, text); name != "" {
		return name
	}
	if name := group(folder, text); !article.MatchString(name) {
		return name
	}
	return ""
}

// place is where a text says something should happen: the folder at hand unless
// it names another.
func place(text string) string {
	if name := named(text); name != "" {
		return name
	}
	if words := strings.Fields(text); len(words) == 1 && !vague.MatchString(text) {
		return words[0]
	}
	return "."
}

// shown is a path as people say it.
func (a ask) shown(path string) string {
	if path == "." {
		return a.say("this folder", "이 폴더")
	}
	return path
}

// unquoted is a text without the quotes around it.
func unquoted(text string) string {
	text = strings.TrimSpace(text)
	if m := quoted.FindStringSubmatch(text); m != nil && m[0] == text {
		return m[1] + m[2] + m[3]
	}
	return strings.Trim(text, "'‘’")
}

// nameless is a text without the names in it: they have no language.
func nameless(text string) string {
	if len(text) > asked {
		return text
	}
	if rest := suffixed.ReplaceAllString(quoted.ReplaceAllString(text, " "), " "); strings.TrimSpace(rest) != "" {
		return rest
	}
	return text
}

// known lists names that earlier calls found, tables first, at most a few.
func known(a ask) []string {
	const most = 4
	var tables, others []string
	for _, e := range append(exchanges(a.earlier), a.since...) {
		if e.use.Name != listFiles || e.result.IsError {
			continue
		}
		for _, entry := range readListing(e.result.Text).entries {
			if isTable(entry.name) {
				tables = append(tables, entry.name)
			} else {
				others = append(others, entry.name)
			}
		}
	}
	out := append(tables, others...)
	return out[:min(len(out), most)]
}

func isTable(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".csv", ".tsv":
		return true
	}
	return false
}
