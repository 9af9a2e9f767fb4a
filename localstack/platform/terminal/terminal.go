// Package terminal formats log records for people at a developer's terminal. New returns the logger.
package terminal

import (
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/lmittmann/tint"
	"github.com/mattn/go-isatty"
)

// New returns a logger that writes one short line per record, in colors if out is a terminal:
//
//	15:04:05 INF request method=POST route=/v0.1/checkouts status=201 duration_ms=12.3
//	15:04:06 WRN callback not delivered callback=msg_… reason=timeout
//
// It drops debug records.
func New(out io.Writer) *slog.Logger {
	file, ok := out.(*os.File)
	colors := ok && isatty.IsTerminal(file.Fd()) && os.Getenv("NO_COLOR") == ""
	return slog.New(tint.NewTextHandler(out, &tint.Options{TimeFormat: time.TimeOnly, NoColor: !colors}))
}
