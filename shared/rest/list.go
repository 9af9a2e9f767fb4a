package rest

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// listValues collects a list in every spelling of contract §2.5. Numbered entries come last, ordered by number.
func listValues(query url.Values, name string) []string {
	type entry struct {
		index  int
		values []string
	}
	entries := []entry{{-2, query[name]}, {-1, query[name+"[]"]}}
	for key, values := range query {
		if suffix, ok := strings.CutPrefix(key, name+"["); ok {
			if index, ok := listIndex(suffix); ok {
				entries = append(entries, entry{index, values})
			}
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return a.index - b.index })
	var all []string
	for _, e := range entries {
		for _, value := range e.values {
			all = append(all, strings.Split(value, ",")...)
		}
	}
	return all
}

// listIndex parses the rest of a name after "k[": "0]" or "][0]".
func listIndex(suffix string) (int, bool) {
	suffix = strings.TrimPrefix(suffix, "][")
	digits, ok := strings.CutSuffix(suffix, "]")
	if !ok || len(digits) > 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 16)
	return int(n), err == nil
}
