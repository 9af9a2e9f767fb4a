package calls

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/aws/sdkcall"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Mutation takes something out of a world, to see that it is needed, or reports the conditions of all writes.
type Mutation struct {
	Without    string            // the name of a condition, or one of the constants; "" takes nothing
	Kept       bool              // the condition stays after all, and is only reported as carried
	Conditions func(name string) // unless nil, is given the name of each condition that a write carries
}

// What Mutation.Without can take away beside conditions. The world itself takes away Stream and Groups.
const (
	Stream = "the reader of the table's stream"
	Groups = "the message groups by which queues are fair"
	Shards = "all but the first of the shards that a query would find"
	Payee  = "the schedule in later changes of bank accounts, which says where payouts go"
	Audit  = "the audit entries of changes"
)

var writes = []string{"Put", "Update", "Delete", "ConditionCheck"}

// Mutate takes the condition or the writes out of the body of a call, and reports whether the call carried it.
func (m Mutation) Mutate(operation string, body []byte) (mutated []byte, carried bool) {
	if m.Without == Shards && operation == "Query" {
		return laterShard.ReplaceAll(body, []byte("$0#none")), false
	}
	if m.Without == "" && m.Conditions == nil || !strings.Contains(string(body), "ConditionExpression") {
		return body, false
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return body, false
	}
	if operation != "TransactWriteItems" {
		carried = m.strip(strings.TrimSuffix(operation, "Item"), members)
		return encode(members), carried
	}
	var items []transactItem
	if json.Unmarshal(members["TransactItems"], &items) != nil {
		return body, false
	}
	for _, item := range items {
		for _, kind := range writes {
			if item[kind] != nil {
				carried = m.strip(kind, item[kind]) || carried
			}
		}
	}
	members["TransactItems"] = encode(m.leaveOut(items))
	return encode(members), carried
}

// leaveOut returns a transaction without the writes that Without takes away.
func (m Mutation) leaveOut(items []transactItem) []transactItem {
	items = slices.DeleteFunc(items, func(i transactItem) bool { // a check is nothing else
		check := i["ConditionCheck"]
		return check != nil && check["ConditionExpression"] == nil
	})
	switch {
	case m.Without == Audit:
		return slices.DeleteFunc(items, puts(`"AUDIT#`))
	case m.Without == Payee && slices.ContainsFunc(items, puts(`"BANKACCOUNTS"`)):
		return slices.DeleteFunc(items, func(i transactItem) bool {
			return puts(`"SCHEDULE"`)(i) && !puts(firstVersion)(i)
		})
	default:
		return items
	}
}

const firstVersion = `"version":{"N":"1"}` // in an item that is new

type transactItem map[string]map[string]json.RawMessage

// puts says of a write whether it puts an item with the text in it.
func puts(text string) func(transactItem) bool {
	return func(i transactItem) bool { return strings.Contains(string(i["Put"]["Item"]), text) }
}

// laterShard is the partition of a merchant's shard from 1, up to the end of its name.
var laterShard = regexp.MustCompile(`"(?:PAYABLE#[LT]#[A-Z0-9]+#[A-Z]{3}|(?:CHECKOUTS|HISTORY)#[LT]#[A-Z0-9]+)#[0-9]+`)

// strip removes the condition from one write, with the names and values that
// nothing else of it uses: the service refuses those. It reports whether the condition was there.
func (m Mutation) strip(kind string, write map[string]json.RawMessage) bool {
	if write["ConditionExpression"] == nil {
		return false
	}
	name := conditionName(kind, write)
	if m.Conditions != nil {
		m.Conditions(name)
	}
	if name != m.Without {
		return false
	}
	if m.Kept {
		return true
	}
	delete(write, "ConditionExpression")
	rest := string(write["UpdateExpression"])
	for _, member := range []string{"ExpressionAttributeNames", "ExpressionAttributeValues"} {
		var given map[string]json.RawMessage
		if json.Unmarshal(write[member], &given) != nil {
			continue
		}
		for placeholder := range given {
			if !regexp.MustCompile(regexp.QuoteMeta(placeholder) + `\b`).MatchString(rest) {
				delete(given, placeholder)
			}
		}
		if delete(write, member); len(given) > 0 {
			write[member] = encode(given)
		}
	}
	return true
}

// conditionName names a condition: the write, the kind of item, and the expression with its names and without values.
func conditionName(kind string, write map[string]json.RawMessage) string {
	var expression string
	var names map[string]string
	_ = json.Unmarshal(write["ConditionExpression"], &expression)
	_ = json.Unmarshal(write["ExpressionAttributeNames"], &names)
	target := string(write["Item"]) + string(write["Key"])
	first := func(name string) string { return append(ValuesOf(target, name), "")[0] }
	return kind + " " + sortOf(first("pk"), first("sk")) + ": " + sdkcall.Named(expression, names)
}

var counterparties = []string{"SANDBOX", "FILEBANK", "TERMINAL"} // begin the keys of items that are not ours

// sorts name items whose sort keys are times or random digits, or common to several kinds.
var sorts = map[store.Kind]string{store.KindPayoutRecords: "RECORD", store.KindAudit: "AUDIT",
	store.KindEmail: "ADDRESS", store.KindObjects: "OBJECT"}

// several are the kinds of partitions with counts and deleted items that share a name with others.
var several = []store.Kind{store.KindFiles, store.KindMembers, store.KindRoles, store.KindAPIKey}

// sortOf names the kind of an item by its keys.
func sortOf(pk, sk string) string {
	sort, rest, _ := strings.Cut(sk, "#")
	book, _, _ := strings.Cut(pk, "#")
	of := Partition(pk).Kind
	switch {
	case slices.Contains(counterparties, book):
		return book + " " + sort
	case sorts[of] != "":
		return sorts[of]
	case of == store.KindFiles && sort == "COUNT": // two of them
		return rest + " COUNT"
	case slices.Contains(several, of) && (sort == "COUNT" || sort == "DELETED"): // two of each
		return string(of) + " " + sort
	default:
		return sort
	}
}

func encode(v any) json.RawMessage {
	text, _ := json.Marshal(v) // of what has just been decoded
	return text
}
