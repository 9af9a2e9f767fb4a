package dynamodb

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// A log record is a sequence of notes. Open reads all notes of a record or none. A note consists of a letter and its
// content. The length of each text precedes the text, and numbers are varints. The note of a row has the row's order in
// the table and in each index, so reading a log decodes no item.
const (
	noteTable   = 'T' // name, definition as in CreateTable, creation time (Unix ns), label of the stream
	noteDrop    = 'X' // name
	noteTTL     = 'E' // name, attribute
	notePut     = 'P' // table, order, item as JSON, its size, its expiry, and order and size per index
	noteRemoval = 'D' // table, order
	noteToken   = 'R' // name, fingerprint, end of validity (Unix ns)
)

func appendText[T string | []byte](dst []byte, text T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

func appendTable(dst []byte, t *table) []byte {
	label := ""
	if t.stream != nil {
		label = t.stream.label
	}
	dst = appendText(append(dst, noteTable), t.name)
	dst = appendText(dst, toJSON(t.definition))
	return appendText(binary.AppendVarint(dst, t.created.UnixNano()), label)
}

func appendDrop(dst []byte, name string) []byte { return appendText(append(dst, noteDrop), name) }

func appendTTL(dst []byte, name, attribute string) []byte {
	return appendText(appendText(append(dst, noteTTL), name), attribute)
}

func (t token) appendNote(dst []byte) []byte {
	if t.name == "" {
		return dst
	}
	dst = appendText(append(dst, noteToken), t.name)
	return binary.AppendVarint(append(dst, t.fingerprint[:]...), t.until.UnixNano())
}

// appendPut appends a note of the table's row. text is the row's item as JSON.
func appendPut(dst []byte, t *table, r *row, text string) []byte {
	dst = appendText(appendText(append(dst, notePut), t.name), r.order)
	dst = appendText(dst, text)
	dst = binary.AppendVarint(binary.AppendUvarint(dst, uint64(r.size)), r.expires)
	for _, entry := range r.entries {
		if entry == nil {
			dst = append(dst, 0)
			continue
		}
		dst = binary.AppendUvarint(appendText(dst, entry.order), uint64(entry.size))
	}
	return dst
}

func appendRemoval(dst []byte, t *table, order string) []byte {
	return appendText(appendText(append(dst, noteRemoval), t.name), order)
}

// encode returns note, followed by notes of the changes. It also turns the new rows from decoded items into text.
func encode(note []byte, changes []change) []byte {
	for _, c := range changes {
		switch {
		case c.next != nil:
			text := string(attr.AppendMap(nil, c.next.item))
			note = appendPut(note, c.table, c.next, text)
			c.next.keepText(c.table, text)
		case c.old != nil:
			note = appendRemoval(note, c.table, c.old.order)
		}
	}
	return note
}

type notes struct {
	rest   string
	broken bool
}

var errNotes = errors.New("a record cannot be read")

func (n *notes) readNumber() int64 {
	v, size := binary.Varint([]byte(n.rest[:min(len(n.rest), binary.MaxVarintLen64)]))
	n.take(cmp.Or(size, -1)) // a size of 0 means truncated input
	return v
}

func (n *notes) readLength() int {
	v, size := binary.Uvarint([]byte(n.rest[:min(len(n.rest), binary.MaxVarintLen64)]))
	n.take(cmp.Or(size, -1))
	return int(v)
}

func (n *notes) readText() string { return n.take(n.readLength()) }

func (n *notes) take(size int) string {
	if size < 0 || size > len(n.rest) {
		n.broken, n.rest = true, ""
		return ""
	}
	text := n.rest[:size]
	n.rest = n.rest[size:]
	return text
}

// readRecord applies a record. The rows' texts are parts of record, so the rows keep record in memory.
func (e *Engine) readRecord(record string) error {
	n := &notes{rest: record}
	for n.rest != "" {
		kind := n.take(1)[0]
		if err := e.readNote(kind, n); err != nil || n.broken {
			return errors.Join(errNotes, err)
		}
	}
	return nil
}

func (e *Engine) readNote(kind byte, n *notes) error {
	switch kind {
	case noteToken:
		name := n.readText()
		fingerprint := n.take(sha256.Size)
		until := time.Unix(0, n.readNumber())
		if !n.broken {
			e.tokens.remember(token{name, [sha256.Size]byte([]byte(fingerprint)), until})
		}
		return nil
	case noteTable:
		return e.readTable(n)
	}
	t := e.tables[n.readText()]
	if t == nil {
		return errors.New("it names no table")
	}
	switch kind {
	case noteDrop:
		e.drop(t)
	case noteTTL:
		t.enableTTL(n.readText())
	case notePut:
		e.readPut(t, n)
	case noteRemoval:
		e.remove(t, n.readText(), time.Time{})
	default:
		return errors.New("it is of no known kind")
	}
	return nil
}

func (e *Engine) readTable(n *notes) error {
	n.readText() // skips the name, which the definition repeats
	var p definition
	if err := json.Unmarshal([]byte(n.readText()), &p, attr.Options); err != nil {
		return err
	}
	t, err := p.newTable()
	if err != nil {
		return err
	}
	t.created = time.Unix(0, n.readNumber())
	if label := n.readText(); label != "" {
		t.stream = &stream{definition: &p, label: label, created: t.created, keys: t.keys, last: int(e.now().UnixMicro())}
	}
	e.add(t)
	return nil
}

func (e *Engine) readPut(t *table, n *notes) {
	r := &row{order: n.readText(), text: n.readText(), size: n.readLength(), expires: n.readNumber()}
	if len(t.indexes) > 0 {
		r.entries = make([]*row, len(t.indexes))
	}
	for i, ix := range t.indexes {
		if order := n.readText(); order != "" {
			r.entries[i] = &row{order: order, of: r, in: ix, size: n.readLength()}
		}
	}
	if n.broken {
		return
	}
	e.put(t, r, time.Time{})
}
