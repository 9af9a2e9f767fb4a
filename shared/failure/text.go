package failure

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text refuses free text of more than most characters or with control
// characters (Unicode's Cc: C0, DEL and C1). They write no word, but end lines
// of logs, receipts and CSV files, and change what terminals show. Empty:
// nothing is wrong.
func Text(param, text string, most int) List {
	switch {
	case utf8.RuneCountInString(text) > most:
		return List{Invalid(param, fmt.Sprintf("must have at most %d characters", most))}
	case strings.ContainsFunc(text, unicode.IsControl):
		return List{Invalid(param, "must have no control characters")}
	default:
		return nil
	}
}
