package ses

import (
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Kept is a mail read from a file.
type Kept struct {
	ID, To, Subject, Text string
	Date                  time.Time // time of the engine's clock
}

// Read reads a mail's file. It fails if the file cannot be read or was not written by an Engine.
func Read(name string) (Kept, error) {
	file, err := os.Open(name)
	if err != nil {
		return Kept{}, err
	}
	defer file.Close()
	m, err := mail.ReadMessage(file)
	if err != nil {
		return Kept{}, err
	}
	kept := Kept{ID: strings.TrimSuffix(filepath.Base(name), extension)}
	if kept.Date, err = m.Header.Date(); err != nil {
		return kept, err
	}
	to, err := m.Header.AddressList("To")
	if err != nil {
		return kept, err
	}
	kept.To = to[0].Address
	if kept.Subject, err = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject")); err != nil {
		return kept, err
	}
	kept.Text, err = plainText(m)
	return kept, err
}

func plainText(m *mail.Message) (string, error) {
	_, parameters, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		return "", err
	}
	part, err := multipart.NewReader(m.Body, parameters["boundary"]).NextPart() // NextPart decodes quoted-printable
	if err != nil {
		return "", fmt.Errorf("ses: no text: %w", err)
	}
	text, err := io.ReadAll(part)
	return strings.ReplaceAll(string(text), "\r\n", "\n"), err
}
