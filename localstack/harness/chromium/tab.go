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

func (t Tab) callPage(result any, method string, arguments ...any) {
	t.session.tb.Helper()
	t.do(command{"do": "page", "method": method, "args": arguments}, result)
}

// Goto opens an address, and waits until its page is loaded.
func (t Tab) Goto(url string) {
	t.session.tb.Helper()
	t.callPage(nil, "goto", url)
}

// Reload reloads the page.
func (t Tab) Reload() {
	t.session.tb.Helper()
	t.callPage(nil, "reload")
}

// Back goes back one page, like the browser's button.
func (t Tab) Back() {
	t.session.tb.Helper()
	t.callPage(nil, "goBack")
}

// Title returns the page's title.
func (t Tab) Title() (title string) {
	t.session.tb.Helper()
	t.callPage(&title, "title")
	return title
}

// URL returns the page's address.
func (t Tab) URL() (url string) {
	t.session.tb.Helper()
	t.callPage(&url, "url")
	return url
}

// WaitURL waits until the tab's address matches the JavaScript pattern, and returns the address.
func (t Tab) WaitURL(pattern string) string {
	t.session.tb.Helper()
	t.do(command{"do": "waitURL", "pattern": pattern}, nil)
	return t.URL()
}

// Evaluate runs a script on the page and decodes its result. The page's Content-Security-Policy does not apply to the
// script.
func (t Tab) Evaluate(script string, result any) {
	t.session.tb.Helper()
	t.do(command{"do": "evaluate", "script": script}, result)
}

// Wait waits until a script returns true.
func (t Tab) Wait(script string) {
	t.session.tb.Helper()
	t.do(command{"do": "wait", "script": script}, nil)
}

// Press presses keys one after the other, such as Tab or Enter. The focused element gets them.
func (t Tab) Press(keys ...string) {
	t.session.tb.Helper()
	for _, key := range keys {
		t.do(command{"do": "keyboard", "method": "press", "args": []string{key}}, nil)
	}
}

// Type types a text into the focused element.
func (t Tab) Type(text string) {
	t.session.tb.Helper()
	t.do(command{"do": "keyboard", "method": "type", "args": []string{text}}, nil)
}

// Focus returns the id of the focused element. An element without an id is named by its name, or else by its text.
func (t Tab) Focus() (name string) {
	t.session.tb.Helper()
	t.Evaluate("((e) => e.id || e.name || e.textContent.trim())(document.activeElement)", &name)
	return name
}

// Look waits for a heading and checks the page. It also takes a picture if CASHWRAP_SCREENSHOTS is set. axe-core must
// find no violation. The page needs an icon, must not be wider than the window, and must not clip content.
func (t Tab) Look(name, heading string) {
	t.session.tb.Helper()
	t.Heading(heading).Wait()
	t.do(command{"do": "look", "name": name}, nil)
}

// Part is the part of a page that axe-core checks in LookAt.
type Part struct {
	At     []string `json:"at"`     // CSS selectors
	Except []string `json:"except"` // axe-core rules that are not checked, because other authors' markup breaks them
}

// LookAt checks a page like Look, but less strictly, because others have written the page. axe-core checks only the
// part, and the page may clip content. The picture shows only the window.
func (t Tab) LookAt(name, heading string, part Part) {
	t.session.tb.Helper()
	t.Heading(heading).Wait()
	t.do(command{"do": "look", "name": name, "part": part}, nil)
}

// Alert returns the text of the page's alert, or "" if there is none.
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

// Role returns an element by its ARIA role and its whole accessible name. With "" the name can be any.
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

// Text returns an element that contains a text.
func (t Tab) Text(part string) Element { return t.element("text", part) }

// CSS returns an element by a selector.
func (t Tab) CSS(selector string) Element { return t.element("css", selector) }
