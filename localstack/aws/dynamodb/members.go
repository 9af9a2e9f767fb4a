package dynamodb

import "github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"

// members are the allowed members of an object of a request, each with its reader.
type members map[string]func(*attr.Reader) error

// read reads an object. It refuses a member that is none of these, as one of the named object.
func (m members) read(r *attr.Reader, object string) error {
	return r.Object(func(name string) error {
		read, known := m[name]
		if !known {
			return refuseParameter(object, name)
		}
		return read(r)
	})
}

// into reads a member into a variable.
func into[T any](to *T, read func(*attr.Reader) (T, error)) func(*attr.Reader) error {
	return func(r *attr.Reader) (err error) {
		*to, err = read(r)
		return err
	}
}

func text(to *string) func(*attr.Reader) error { return into(to, (*attr.Reader).Str) }
func number(to *int) func(*attr.Reader) error  { return into(to, (*attr.Reader).Int) }
func flag(to *bool) func(*attr.Reader) error   { return into(to, (*attr.Reader).Bool) }

// ignored reads a text that changes nothing here.
func ignored() func(*attr.Reader) error { return text(new(string)) }

// list reads an array of elements.
func list[T any](read func(*attr.Reader) (T, error)) func(*attr.Reader) ([]T, error) {
	return func(r *attr.Reader) ([]T, error) {
		var all []T
		err := r.Array(func() error {
			element, err := read(r)
			all = append(all, element)
			return err
		})
		return all, err
	}
}

// missing refuses a request without a member.
func missing(member string) error {
	return attr.Invalidf("1 validation error detected: Value null at '%s' failed to satisfy constraint: Member must not "+
		"be null", member)
}

// unknown refuses a value that is not in the set.
func unknown(member, value, set string) error {
	return attr.Invalidf("1 validation error detected: Value '%s' at '%s' failed to satisfy constraint: Member must "+
		"satisfy enum value set: %s", value, member, set)
}

// checkLimit refuses a number that is not from 1 to the most.
func checkLimit(member string, value, most int) error {
	if value >= 1 && value <= most {
		return nil
	}
	return attr.Invalidf("1 validation error detected: Value '%d' at '%s' failed to satisfy constraint: Member must have "+
		"value between 1 and %d", value, member, most)
}
