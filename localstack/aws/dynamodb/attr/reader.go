package attr

import (
	"errors"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var errSyntax = errors.New("malformed JSON")

// IsSyntax reports whether an error says that a request is no JSON, or JSON of another shape.
func IsSyntax(err error) bool {
	_, malformed := errors.AsType[*jsontext.SyntacticError](err)
	_, misshapen := errors.AsType[*json.SemanticError](err)
	return malformed || misshapen || errors.Is(err, errSyntax) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF)
}

// Options are for all JSON that is read: of a name given twice the last one counts.
var Options = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true),
	json.RejectUnknownMembers(true), json.WithUnmarshalers(json.UnmarshalFromFunc(keepDefault)))

// keepDefault leaves a number as it is for null: as in the service null members are absent.
func keepDefault(d *jsontext.Decoder, _ *int) error {
	if d.PeekKind() == 'n' {
		return d.SkipValue()
	}
	return errors.ErrUnsupported // decoded as usual
}

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
