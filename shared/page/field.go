package page

import (
	"strings"

	"github.com/a-h/templ"
)

// Field is a labelled field of a form.
type Field struct {
	Name  string // name of the value that the form sends
	ID    string // id of the element; "": the same as Name
	Label string
	Hint  string // explains the field's purpose
	// Problem is the fault of the value. Screen readers read it aloud when the page opens.
	Problem string
	// Live is true if the field has a place for a problem that a script finds. Screen readers do not read the problem
	// aloud there, because the top of the page also reports it.
	Live bool

	Type, Value, Autocomplete, InputMode string
	// Capitals is the attribute autocapitalize. It is set for text that is not prose. Browsers must not spellcheck such
	// text either.
	Capitals    string
	Required    bool
	Min, Max    int      // limits of the value's length
	Options     []Option // options of a select
	DescribedBy string   // id of another element that describes the fault
	Placeholder string
	// Missing and Wrong are a script's messages about a Live field.
	Missing, Wrong string
	Note           bool // adds the element "<id>-note" for a script's remark on the value
	Invalid        bool // the element DescribedBy shows a fault of this field
	Class          string
}

// Option is an option of a select.
type Option struct{ Value, Label string }

func (f Field) id() string {
	if f.ID != "" {
		return f.ID
	}
	return f.Name
}

func (f Field) class() string { return strings.TrimSpace("field " + f.Class) }

// attributes returns the attributes that inputs and selects share.
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
