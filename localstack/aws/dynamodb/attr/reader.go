package attr

import (
	"errors"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var errSyntax = errors.New("malformed JSON")

// IsSyntax returns true if an error says that a request is not JSON, or is JSON of the wrong shape.
func IsSyntax(err error) bool {
	_, malformed := errors.AsType[*jsontext.SyntacticError](err)
	_, misshapen := errors.AsType[*json.SemanticError](err)
	return malformed || misshapen || errors.Is(err, errSyntax) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF)
}

// Options are the options for reading any JSON. If a name occurs twice, the last value wins.
var Options = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true),
	json.RejectUnknownMembers(true), json.WithUnmarshalers(json.UnmarshalFromFunc(keepDefault)))

// keepDefault keeps a number's default when its JSON is null, since the service treats null members as absent.
func keepDefault(d *jsontext.Decoder, _ *int) error {
	if d.PeekKind() == 'n' {
		return d.SkipValue()
	}
	return errors.ErrUnsupported // decode as usual
}

// Object reads an object. For each member it calls the function member, which must consume the member's value. Like the
// service, Object skips null members.
func Object(d *jsontext.Decoder, member func(name string) error) error {
	if d.PeekKind() == 'n' {
		return d.SkipValue()
	}
	return readParts(d, '{', '}', func() error {
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

// Array reads an array. For each element it calls the function element, which must consume that element.
func Array(d *jsontext.Decoder, element func() error) error { return readParts(d, '[', ']', element) }

func readParts(d *jsontext.Decoder, from, to jsontext.Kind, part func() error) error {
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
