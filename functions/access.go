package functions

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Access is what a function may do in AWS beside being called and logging. The sandbox's acquirer and bank use the table with the function's role.
type Access struct {
	Items   []string // IAM actions on the table; each part of a transaction is authorised as its own
	Queries []string // names of the indexes it queries
	Sends   []Queue  // queues it sends to, whose URLs it gets
}

// recorded is what each function used in TestNoFunctionMayDoMore, which writes
// it with -update (`make golden`): "PutItem table", "Query index/due",
// "SendMessage callbacks". A difference there is one of the functions' rights.
//
//go:embed access.json
var recorded []byte

// Access is exactly what the function uses: every test of the platform fails when
// it uses more, and TestNoFunctionMayDoMore when it uses less.
// TestNoFunctionMayDoWhatNoneShould checks what no record can give it.
func (f Function) Access() Access {
	var a Access
	for _, permission := range f.Permissions() {
		action, resource, _ := strings.Cut(permission, " ")
		if index, ok := strings.CutPrefix(resource, "index/"); ok && action == "Query" {
			a.Queries = append(a.Queries, index)
		} else if at := slices.IndexFunc(Queues, func(q Queue) bool {
			return q.Name == resource
		}); at >= 0 && action == "SendMessage" {
			a.Sends = append(a.Sends, Queues[at])
		} else if resource == "table" {
			a.Items = append(a.Items, action)
		} else {
			panic(fmt.Sprintf("functions: access.json lets %s %s, which no role can", f.Name, permission))
		}
	}
	return a
}

// Permissions are the function's lines of access.json, sorted.
func (f Function) Permissions() []string { return permissions()[f.Name] }

var permissions = sync.OnceValue(func() map[string][]string {
	var all map[string][]string
	if err := json.Unmarshal(recorded, &all); err != nil {
		panic(fmt.Sprintf("functions: access.json: %v", err))
	}
	return all
})
