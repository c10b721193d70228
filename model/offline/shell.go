package offline

import "strings"

// quote makes a text one word of a shell command, whatever is in it.
func quote(text string) string {
	text = strings.ReplaceAll(text, "\x00", "")
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// file is a path as a word of a command. It cannot be taken for an option or an
// operator, as it begins with a dot or a slash.
func file(path string) string {
	if path != "." && !strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "./") && !strings.HasPrefix(path, "../") {
		path = "./" + path
	}
	return quote(path)
}

// The commands are for any sh with the usual tools. Files are read from
// standard input where that keeps their names from meaning anything.

// must ends a command that would otherwise find nothing and call that a success.
func must(path string) string {
	if path == "." {
		return ""
	}
	f := file(path)
	return "[ -e " + f + " ] || { printf 'there is no %s\\n' " + f + " >&2; exit 1; }; "
}

func everyFile(path, do string) string {
	return must(path) + "find " + file(path) + " -name .git -prune -o -type f " + do
}

func fileTypes(path string) string {
	return everyFile(path, "-print") + ` | awk -F/ '{ n = $NF; e = "(none)"; if (match(n, /\.[^.]+$/) && RSTART > 1) e = substr(n, RSTART); c[e]++ }` +
		` END { for (e in c) print c[e], e }' | sort -k1,1nr -k2 | head -n 20`
}

func largestFiles(path string) string {
	return everyFile(path, "-exec wc -c {} +") + ` | awk '!/ total$/ { sub(/^ +/, ""); print }' | sort -k1,1nr -k2 | head -n 10`
}

func longestFiles(path string) string {
	return everyFile(path, "-exec wc -l {} +") + ` | awk '!/ total$/ { sub(/^ +/, ""); print }' | sort -k1,1nr -k2 | head -n 10`
}

func totals(path string) string {
	return everyFile(path, "-exec wc -lc {} +") + ` | awk '!/ total$/ { f++; l += $1; b += $2 } END { printf "files: %d, lines: %d, bytes: %d\n", f, l, b }'`
}

func firstLinesOf(path, n string) string { return "head -n " + n + " < " + file(path) }

func sizes(path string) string {
	return `awk '{ w += NF; c += length($0) + 1 } END { printf "lines: %d, words: %d, bytes: %d\n", NR, w, c }' < ` + file(path)
}

func frequentWords(path string) string {
	return `awk '{ for (i = 1; i <= NF; i++) c[$i]++ } END { for (w in c) print c[w], w }' < ` + file(path) + ` | sort -k1,1nr -k2 | head -n 10`
}

func separator(path string) string {
	if strings.HasSuffix(strings.ToLower(path), ".tsv") {
		return `-F '\t'`
	}
	return "-F ,"
}

func columns(path string) string {
	return "awk " + separator(path) + ` 'NR == 1 { sub(/\r$/, ""); for (i = 1; i <= NF; i++) print i ". " $i; exit }' < ` + file(path)
}

func rows(path string) string {
	return `awk 'NF { n++ } END { printf "rows: %d\n", (n > 0 ? n - 1 : 0) }' < ` + file(path)
}

// numbers measures the columns that hold nothing but numbers.
func numbers(path string) string {
	return "awk " + separator(path) + ` '{ sub(/\r$/, "") } NR == 1 { for (i = 1; i <= NF; i++) h[i] = $i; m = NF; next }` +
		` { for (i = 1; i <= m; i++) { if ($i == "") continue; if ($i !~ /^ *-?[0-9]+(\.[0-9]+)? *$/) { t[i] = 1; continue }` +
		` v = $i + 0; if (!n[i] || v < lo[i]) lo[i] = v; if (!n[i] || v > hi[i]) hi[i] = v; n[i]++; s[i] += v } }` +
		` END { for (i = 1; i <= m; i++) if (n[i] && !t[i]) printf "%s: %d values, from %g to %g, mean %g\n", h[i], n[i], lo[i], hi[i], s[i] / n[i] }' < ` + file(path)
}

// search finds lines. That there are none is a result, not a failure.
func search(text, path string) string {
	return grep("-rHnIF", text, path) + noneIsFine
}

const noneIsFine = ` || [ $? -eq 1 ]`

func grep(flags, text, path string) string {
	return "grep " + flags + " --exclude-dir=.git -e " + quote(oneLine(text)) + " -- " + file(path)
}

func searchCounts(text, path string) string {
	return must(path) + grep("-rHcIF", text, path) + ` | awk -F: '$NF > 0 { print $NF, substr($0, 1, length($0) - length($NF) - 1) }' | sort -k1,1nr -k2 | head -n 20`
}

func searchTotal(text, path string) string {
	return must(path) + grep("-rHcIF", text, path) + ` | awk -F: '$NF > 0 { f++; n += $NF } END { printf "lines: %d, files: %d\n", n, f }'`
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// appendLine adds a line at the end of a file.
func appendLine(line, path string) string {
	return "printf '%s\\n' " + quote(line) + " >> " + file(path)
}

func writeText(text, path string) string {
	return "printf '%s\\n' " + quote(text) + " > " + file(path)
}

// replaceText changes every occurrence of a text within a line. The file keeps
// its owner and mode, as it is written and not exchanged.
func replaceText(old, new, path string) string {
	return `new=$(OLD=` + quote(old) + ` NEW=` + quote(new) + ` awk 'BEGIN { o = ENVIRON["OLD"]; n = ENVIRON["NEW"] }` +
		` { r = ""; while (i = index($0, o)) { r = r substr($0, 1, i - 1) n; $0 = substr($0, i + length(o)) } print r $0 }' < ` + file(path) +
		`) && printf '%s\n' "$new" > ` + file(path)
}
