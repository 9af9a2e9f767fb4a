package webhook

import (
	"fmt"
	"io"
	"log/slog"
)

const redacted = "[redacted]"

// opaque has key bytes that no printer, logger or encoder can reach. They are behind
// a function because fmt and other printers that use reflection read unexported
// fields without calling methods, but cannot read a func.
type opaque struct{ reveal func() []byte }

func conceal(key []byte) opaque {
	own := append([]byte(nil), key...)
	return opaque{reveal: func() []byte { return own }}
}

func (o opaque) isZero() bool { return o.reveal == nil }

// Format covers every verb; without it %d would bypass String.
func (opaque) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, redacted) }

// String returns a fixed placeholder.
func (opaque) String() string { return redacted }

// GoString returns a fixed placeholder.
func (opaque) GoString() string { return redacted }

// LogValue returns a fixed placeholder.
func (opaque) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText returns a fixed placeholder, for encoders other than JSON too.
func (opaque) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// MarshalJSON returns a fixed placeholder.
func (opaque) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }
