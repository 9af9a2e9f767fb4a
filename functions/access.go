package functions

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cashwrap/cashwrap/shared/app"
)

// Access lists what a function may do in AWS, apart from being called and logging. The sandbox's acquirer and bank use
// the table under the function's role.
type Access struct {
	Table []Right // each part of a transaction is authorised as a separate action
	Sends []Queue // queues it sends to, and whose URLs it gets
	Mails bool    // may send mails from the stage's address, which it gets
	// Objects: it may read, list and delete the content of files, and sign links to it, in the bucket that it gets.
	Objects bool

	Secrets []app.Secret // it derives keys from; they are in its environment
}

// Right is an IAM action on the table.
type Right struct {
	Action string
	Index  string   // name of the index; "" for the table itself
	Kinds  []string // of partitions (shared/store, kind.go); none for the whole table, which only Scan needs
}

// recorded lists what each function used in TestNoFunctionMayDoMore, which writes the file with -update (`make
// golden`): "PutItem CHECKOUT", "Query index/due DUE", "Scan table", "SendMessage callbacks", "SendEmail identity",
// "GetObject objects", "Secret LASTING_SECRET". A change to the file changes the functions' rights.
//
//go:embed access.json
var recorded []byte

// Access returns exactly the rights that the function uses. Every test fails if it uses more; TestNoFunctionMayDoMore
// fails if it uses less. TestNoFunctionMayDoWhatNoneShould checks rights that no record can grant.
func (f Function) Access() Access {
	var a Access
	for _, permission := range f.Permissions() {
		words := strings.Fields(permission)
		action, on := words[0], words[1:]
		index, ofIndex := strings.CutPrefix(on[0], "index/")
		queue := slices.IndexFunc(Queues, func(q Queue) bool { return q.Name == on[0] })
		switch {
		case action == "Secret":
			a.Secrets = append(a.Secrets, app.Secret(on[0]))
		case permission == sendEmail:
			a.Mails = true
		case on[0] == ofObjects:
			a.Objects = true
		case action == "SendMessage" && queue >= 0:
			a.Sends = append(a.Sends, Queues[queue])
		case ofIndex:
			a.grant(action, index, on[1:]...)
		case on[0] == "table":
			a.grant(action, "")
		case queue < 0:
			a.grant(action, "", on...)
		default:
			panic(fmt.Sprintf("functions: access.json lets %s %s, which no role can", f.Name, permission))
		}
	}
	return a
}

const sendEmail = "SendEmail identity"

// ofObjects is the last word of the permissions on the content of files.
const ofObjects = "objects"

// grant adds kinds to the right for the action.
func (a *Access) grant(action, index string, kinds ...string) {
	at := slices.IndexFunc(a.Table, func(r Right) bool { return r.Action == action && r.Index == index })
	if at < 0 {
		at, a.Table = len(a.Table), append(a.Table, Right{Action: action, Index: index})
	}
	a.Table[at].Kinds = append(a.Table[at].Kinds, kinds...)
}

// Puts reports whether the function may put or update items of the kind, and not only delete them.
func (a Access) Puts(kind string) bool {
	return slices.ContainsFunc(a.Table, func(r Right) bool {
		return (r.Action == "PutItem" || r.Action == "UpdateItem") && slices.Contains(r.Kinds, kind)
	})
}

// Writes reports whether the function may write items of the kind.
func (a Access) Writes(kind string) bool {
	return slices.ContainsFunc(a.Table, func(r Right) bool { return r.Writes() && slices.Contains(r.Kinds, kind) })
}

// Writes reports whether the action changes items.
func (r Right) Writes() bool { return !slices.Contains(reads, r.Action) }

// reads lists the actions on items that change nothing.
var reads = []string{"GetItem", "BatchGetItem", "ConditionCheckItem", "Query", "Scan"}

// Permissions returns the function's lines of access.json, sorted.
func (f Function) Permissions() []string { return permissions()[f.Name] }

var permissions = sync.OnceValue(func() map[string][]string {
	var all map[string][]string
	if err := json.Unmarshal(recorded, &all); err != nil {
		panic(fmt.Sprintf("functions: access.json: %v", err))
	}
	return all
})
