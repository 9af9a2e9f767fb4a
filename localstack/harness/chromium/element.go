package chromium

// Element is an element of a page. Its methods wait until the element can be used. They fail the test if more than one
// element matches.
type Element struct {
	tab Tab
	by  command
}

func (e Element) do(result any, method string, arguments ...any) {
	e.tab.session.tb.Helper()
	e.tab.do(command{"do": "element", "element": e.by, "method": method, "args": arguments}, result)
}

// Click clicks on the element, and waits until the next page begins.
func (e Element) Click() {
	e.tab.session.tb.Helper()
	e.do(nil, "click")
}

// DoubleClick clicks on the element twice.
func (e Element) DoubleClick() {
	e.tab.session.tb.Helper()
	e.do(nil, "dblclick")
}

// Fill replaces the text of a field.
func (e Element) Fill(text string) {
	e.tab.session.tb.Helper()
	e.do(nil, "fill", text)
}

// Choose selects an option by its value.
func (e Element) Choose(value string) {
	e.tab.session.tb.Helper()
	e.do(nil, "selectOption", value)
}

// Focus puts the focus on the element.
func (e Element) Focus() {
	e.tab.session.tb.Helper()
	e.do(nil, "focus")
}

// Text returns the text that a visitor reads.
func (e Element) Text() (text string) {
	e.tab.session.tb.Helper()
	e.do(&text, "innerText")
	return text
}

// Value returns the value of a field.
func (e Element) Value() (value string) {
	e.tab.session.tb.Helper()
	e.do(&value, "inputValue")
	return value
}

// Attribute returns the value of an attribute, or "" if the element does not have it.
func (e Element) Attribute(name string) (value string) {
	e.tab.session.tb.Helper()
	e.do(&value, "getAttribute", name)
	return value
}

// Count returns the current number of matching elements, without waiting.
func (e Element) Count() (many int) {
	e.tab.session.tb.Helper()
	e.do(&many, "count")
	return many
}

// Wait waits until the element is visible.
func (e Element) Wait() {
	e.tab.session.tb.Helper()
	e.do(nil, "waitFor")
}

// Evaluate calls a JavaScript function with the element. The page's Content-Security-Policy does not apply to the
// function.
func (e Element) Evaluate(script string) {
	e.tab.session.tb.Helper()
	e.tab.do(command{"do": "change", "element": e.by, "script": script}, nil)
}

// QRCode returns the text of the element's QR code, or "" if none can be read.
func (e Element) QRCode() (text string) {
	e.tab.session.tb.Helper()
	e.tab.do(command{"do": "scan", "element": e.by}, &text)
	return text
}
