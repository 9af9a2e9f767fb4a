package attr

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var errSyntax = errors.New("malformed JSON")

// Options of all JSON that is read: of a name given twice the last one counts.
var Options = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true),
	json.RejectUnknownMembers(true))

// Object calls member for each name; member must consume the value. As in the service null members are absent.
func Object(d *jsontext.Decoder, member func(name string) error) error {
	if d.PeekKind() == 'n' {
		return d.SkipValue()
	}
	return parts(d, '{', '}', func() error {
		name, err := readString(d)
		switch {
		case err != nil:
			return err
		case d.PeekKind() == 'n':
			return d.SkipValue()
		}
		return member(name)
	})
}

// Array calls element for each element; element must consume it.
func Array(d *jsontext.Decoder, element func() error) error { return parts(d, '[', ']', element) }

func parts(d *jsontext.Decoder, from, to jsontext.Kind, part func() error) error {
	if d.PeekKind() != from {
		return errSyntax
	}
	_, err := d.ReadToken()
	for err == nil && d.PeekKind() != to {
		err = part()
	}
	if err == nil {
		_, err = d.ReadToken()
	}
	return err
}

func readString(d *jsontext.Decoder) (string, error) {
	if d.PeekKind() != '"' {
		return "", errSyntax
	}
	token, err := d.ReadToken()
	return token.String(), err
}
