package chromium

import "strings"

// Tab is one tab of a session, or a frame in it.
type Tab struct {
	session *Session
	id      string
	frames  []string // CSS selectors, the outermost first
}

func (t Tab) do(c command, result any) {
	t.session.tb.Helper()
	c["tab"] = t.id
	t.session.driver.do(t.session.tb, c, result)
}

func (t Tab) page(result any, method string, arguments ...any) {
	t.session.tb.Helper()
	t.do(command{"do": "page", "method": method, "args": arguments}, result)
}

// Goto opens an address, and waits until its page is loaded.
func (t Tab) Goto(url string) {
	t.session.tb.Helper()
	t.page(nil, "goto", url)
}

// Reload loads the page again.
func (t Tab) Reload() {
	t.session.tb.Helper()
	t.page(nil, "reload")
}

// Back goes to the page before, as the browser's button does.
func (t Tab) Back() {
	t.session.tb.Helper()
	t.page(nil, "goBack")
}

// Title returns the page's title.
func (t Tab) Title() (title string) {
	t.session.tb.Helper()
	t.page(&title, "title")
	return title
}

// URL returns the page's address.
func (t Tab) URL() (url string) {
	t.session.tb.Helper()
	t.page(&url, "url")
	return url
}

// WaitURL waits until the tab shows an address that the pattern, of JavaScript, is found in, and returns it.
func (t Tab) WaitURL(pattern string) string {
	t.session.tb.Helper()
	t.do(command{"do": "waitURL", "pattern": pattern}, nil)
	return t.URL()
}

// Evaluate runs a script on the page, past its policy, and reads what comes out.
func (t Tab) Evaluate(script string, result any) {
	t.session.tb.Helper()
	t.do(command{"do": "evaluate", "script": script}, result)
}

// Wait waits until a script comes out true.
func (t Tab) Wait(script string) {
	t.session.tb.Helper()
	t.do(command{"do": "wait", "script": script}, nil)
}

// Press presses keys one after the other, such as Tab or Enter, wherever the focus is.
func (t Tab) Press(keys ...string) {
	t.session.tb.Helper()
	for _, key := range keys {
		t.do(command{"do": "keyboard", "method": "press", "args": []string{key}}, nil)
	}
}

// Type types a text wherever the focus is.
func (t Tab) Type(text string) {
	t.session.tb.Helper()
	t.do(command{"do": "keyboard", "method": "type", "args": []string{text}}, nil)
}

// Focus returns where the focus is: the id, name and text of the element in this order, whichever it has first.
func (t Tab) Focus() (name string) {
	t.session.tb.Helper()
	t.Evaluate("((e) => e.id || e.name || e.textContent.trim())(document.activeElement)", &name)
	return name
}

// Look waits for a heading, checks the page by axe-core, its icon, its width and what it clips, and takes a picture.
func (t Tab) Look(name, heading string) {
	t.session.tb.Helper()
	t.Heading(heading).Wait()
	t.do(command{"do": "look", "name": name}, nil)
}

// Part is as much of a page as LookAt has axe-core check.
type Part struct {
	At     []string `json:"at"`     // CSS selectors
	Except []string `json:"except"` // rules of axe-core that the markup of others breaks
}

// LookAt looks at a page of another maker: axe-core checks a part, clipping is allowed. The picture is of the window.
func (t Tab) LookAt(name, heading string, part Part) {
	t.session.tb.Helper()
	t.Heading(heading).Wait()
	t.do(command{"do": "look", "name": name, "part": part}, nil)
}

// Alert returns what the page's alert says; "" if there is none.
func (t Tab) Alert() string {
	t.session.tb.Helper()
	alert := t.Role("alert", "")
	if alert.Count() == 0 {
		return ""
	}
	return strings.TrimSpace(alert.Text())
}

// Frame returns a frame of the page, by a CSS selector.
func (t Tab) Frame(css string) Tab {
	t.frames = append(append([]string{}, t.frames...), css)
	return t
}

func (t Tab) element(by string, value string) Element {
	return Element{tab: t, by: command{"frames": t.frames, by: value}}
}

// Role returns an element by its role of ARIA and its whole name; "" is any name.
func (t Tab) Role(role, name string) Element {
	e := t.element("role", role)
	e.by["name"] = name
	return e
}

// Button returns a button by its whole text.
func (t Tab) Button(name string) Element { return t.Role("button", name) }

// Link returns a link by its whole text.
func (t Tab) Link(name string) Element { return t.Role("link", name) }

// Heading returns a heading by its whole text.
func (t Tab) Heading(name string) Element { return t.Role("heading", name) }

// Field returns a field by its whole label.
func (t Tab) Field(label string) Element { return t.element("label", label) }

// Text returns an element that has a text in it.
func (t Tab) Text(part string) Element { return t.element("text", part) }

// CSS returns an element by a selector.
func (t Tab) CSS(selector string) Element { return t.element("css", selector) }
