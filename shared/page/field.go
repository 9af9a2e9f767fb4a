package page

import (
	"strings"

	"github.com/a-h/templ"
)

// Field is a labelled field of a form.
type Field struct {
	Name  string // of what is sent
	ID    string // of the element; "": the name
	Label string
	Hint  string // what the field is for
	// Problem is what is wrong with the value: it is read out when the page opens.
	Problem string
	// Live fields have a place for a script's problem. Their own is not read out: the page says so at its top.
	Live bool

	Type, Value, Autocomplete, InputMode string
	// Capitals is autocapitalize, for text that is no prose: it is not spellchecked either.
	Capitals    string
	Required    bool
	Min, Max    int      // length
	Options     []Option // of a select
	DescribedBy string   // id of another element that says what is wrong
	Placeholder string
	// Missing and Wrong are what a script says of a Live field.
	Missing, Wrong string
	Note           bool // a script has something to say about the value: it is put into the element "<id>-note"
	Invalid        bool // by what DescribedBy says
	Class          string
}

// Option is one that a Field offers.
type Option struct{ Value, Label string }

func (f Field) id() string {
	if f.ID != "" {
		return f.ID
	}
	return f.Name
}

func (f Field) class() string { return strings.TrimSpace("field " + f.Class) }

// attributes are those that inputs and selects have.
func (f Field) attributes() templ.OrderedAttributes {
	var all templ.OrderedAttributes
	add := func(name string, value any) {
		all = append(all, templ.KeyValue[string, any]{Key: name, Value: value})
	}
	if f.Autocomplete != "" {
		add("autocomplete", f.Autocomplete)
	}
	if f.Required {
		add("required", true)
	}
	if f.Placeholder != "" {
		add("placeholder", f.Placeholder)
	}
	if f.Live {
		add("data-missing", f.Missing)
		add("data-invalid", f.Wrong)
	}
	described := f.DescribedBy
	if f.Problem != "" || f.Live {
		described += " " + f.id() + "-problem"
	}
	if f.Hint != "" {
		described += " " + f.id() + "-hint"
	}
	if described = strings.TrimSpace(described); described != "" {
		add("aria-describedby", described)
	}
	if f.Problem != "" || f.Invalid {
		add("aria-invalid", "true")
	}
	return all
}
