package rest

import (
	"context"
	"net/http"
	"strconv"
	"strings"
)

// AcceptsPage returns true if a request to an Open route asks for HTML by name, as browsers do.
func AcceptsPage(ctx context.Context) bool { return TakesPage(openRouteRequest(ctx).Header) }

// TakesPage returns true if the Accept header names text/html (RFC 9110 §12.5.1). API clients' */* does not count.
func TakesPage(h http.Header) bool { return accepts(h.Values("Accept"), "text/html") }

// accepts returns true if a list of preferences names the value with a weight above zero (RFC 9110 §12.4.2). A range
// that includes the value does not count. The lines are joined first, because the Lambda adapter splits them at commas.
func accepts(lines []string, value string) bool {
	for preference := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		name, parameters, _ := strings.Cut(preference, ";")
		if strings.EqualFold(strings.TrimSpace(name), value) && weight(parameters) > 0 {
			return true
		}
	}
	return false
}

// weight returns the weight in a preference's parameters: 1 if they have none, and 0 if it cannot be parsed.
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
