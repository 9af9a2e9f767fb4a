package chromium

// Element is an element of a page. Its methods wait until it can be used, and fail the test if it is not unique.
type Element struct {
	tab Tab
	by  command
}

func (e Element) do(result any, method string, arguments ...any) {
	e.tab.session.tb.Helper()
	e.tab.do(command{"do": "element", "element": e.by, "method": method, "args": arguments}, result)
}

// Click clicks on it, and waits for the page that follows to begin.
func (e Element) Click() {
	e.tab.session.tb.Helper()
	e.do(nil, "click")
}

// DoubleClick clicks on it twice.
func (e Element) DoubleClick() {
	e.tab.session.tb.Helper()
	e.do(nil, "dblclick")
}

// Fill replaces the text of a field.
func (e Element) Fill(text string) {
	e.tab.session.tb.Helper()
	e.do(nil, "fill", text)
}

// Choose chooses an option by its value.
func (e Element) Choose(value string) {
	e.tab.session.tb.Helper()
	e.do(nil, "selectOption", value)
}

// Focus puts the focus there.
func (e Element) Focus() {
	e.tab.session.tb.Helper()
	e.do(nil, "focus")
}

// Text returns what a visitor reads of it.
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

// Attribute returns one of its attributes; "" if it has none of the name.
func (e Element) Attribute(name string) (value string) {
	e.tab.session.tb.Helper()
	e.do(&value, "getAttribute", name)
	return value
}

// Count returns how many such elements there are now, without waiting.
func (e Element) Count() (many int) {
	e.tab.session.tb.Helper()
	e.do(&many, "count")
	return many
}

// Wait waits until it can be seen.
func (e Element) Wait() {
	e.tab.session.tb.Helper()
	e.do(nil, "waitFor")
}

// Evaluate calls a function of JavaScript with the element, past the page's policy.
func (e Element) Evaluate(script string) {
	e.tab.session.tb.Helper()
	e.tab.do(command{"do": "change", "element": e.by, "script": script}, nil)
}

// QRCode returns the text of the QR code that it shows; "" if none can be read.
func (e Element) QRCode() (text string) {
	e.tab.session.tb.Helper()
	e.tab.do(command{"do": "scan", "element": e.by}, &text)
	return text
}
