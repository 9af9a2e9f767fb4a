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

// Access lists a function's rights in AWS, except the rights to be called and to write logs. It includes the rights of
// the sandbox's acquirer and bank, because they use the table under the function's role.
type Access struct {
	Table []Right // each operation in a DynamoDB transaction needs the right to its own action
	Sends []Queue // queues that the function sends to; their URLs are in its environment
	Mails bool    // the function may send mails from the stage's address, which is in its environment
	// Objects: the function may read, list and delete the content of files, and sign links to it. The bucket's name is in
	// its environment.
	Objects bool

	Secrets []app.Secret // secrets that the function derives keys from; they are in its environment
}

// Right is an IAM action on the table.
type Right struct {
	Action string
	Index  string   // name of the index; "" for the table itself
	Kinds  []string // kinds of partitions (shared/store, kind.go); if none, the whole table, which only Scan needs
}

// recorded lists the rights that each function used in TestAccess_AsRecorded. `make golden` runs that test with
// -update, which writes access.json. Examples of the rights are "PutItem CHECKOUT", "Query index/due DUE", "Scan
// table", "SendMessage callbacks", "SendEmail identity", "GetObject objects" and "Secret LASTING_SECRET". A change to
// the file changes the functions' rights.
//
//go:embed access.json
var recorded []byte

// Access returns exactly the rights that the function uses. Tests fail if the function uses more, and
// TestAccess_AsRecorded fails if it uses less. TestAccess_ForbiddenRights checks the rights that access.json
// must never grant.
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

// ofObjects is the second word of each permission on the content of files, for example "GetObject objects".
const ofObjects = "objects"

// grant grants the action on the table or the index for these kinds. Kinds that were granted before stay granted.
func (a *Access) grant(action, index string, kinds ...string) {
	at := slices.IndexFunc(a.Table, func(r Right) bool { return r.Action == action && r.Index == index })
	if at < 0 {
		at, a.Table = len(a.Table), append(a.Table, Right{Action: action, Index: index})
	}
	a.Table[at].Kinds = append(a.Table[at].Kinds, kinds...)
}

// Puts returns true if the function may put or update items of the kind. The right to delete them does not count.
func (a Access) Puts(kind string) bool {
	return slices.ContainsFunc(a.Table, func(r Right) bool {
		return (r.Action == "PutItem" || r.Action == "UpdateItem") && slices.Contains(r.Kinds, kind)
	})
}

// Writes returns true if the function may write items of the kind.
func (a Access) Writes(kind string) bool {
	return slices.ContainsFunc(a.Table, func(r Right) bool { return r.Writes() && slices.Contains(r.Kinds, kind) })
}

// Writes returns true if the action changes items.
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
