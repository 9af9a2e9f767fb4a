package rest

import (
	"context"
	"net/http"
	"strconv"
	"strings"
)

// AcceptsPage reports whether a request to an Open route names HTML as what it wants, as a browser's does.
func AcceptsPage(ctx context.Context) bool { return TakesPage(sent(ctx).Header) }

// TakesPage reports whether a header names HTML (RFC 9110 §12.5.1), not just anything as API clients' do.
func TakesPage(h http.Header) bool { return accepts(h.Values("Accept"), "text/html") }

// accepts reports whether a list of preferences has the value itself, not only as part of a range, with a weight above
// zero (RFC 9110 §12.4.2). The lines are joined, because the Lambda adapter splits them at commas.
func accepts(lines []string, value string) bool {
	for preference := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		name, parameters, _ := strings.Cut(preference, ";")
		if strings.EqualFold(strings.TrimSpace(name), value) && weight(parameters) > 0 {
			return true
		}
	}
	return false
}

// weight is that of a preference, by its parameters: 1 unless they say another, and 0 if that cannot be read.
func weight(parameters string) float64 {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(parameter, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "q") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil {
			return 0
		}
		return q
	}
	return 1
}
