package acquirertest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/acquirertest"
)

// documented lists the files whose sentences need a case or a reason.
var documented = []string{"../../../shared/acquirer/acquirer.go", "../../../shared/acquirer/movement.go",
	"../../../shared/payments/outcome.go"}

// TestCases_EverySentence checks that each sentence of the port is quoted by a case, or listed in noRules. It also
// checks that every quoted sentence still exists.
func TestCases_EverySentence(t *testing.T) {
	t.Parallel()
	quoted := map[string]bool{}
	for _, c := range acquirertest.Cases() {
		if len(c.Rules) == 0 {
			t.Errorf("%s: got no sentence of the port, want one or more", c.Name)
		}
		for _, r := range c.Rules {
			quoted[r] = true
		}
	}
	written, excused := map[string]bool{}, map[string]bool{}
	for _, sentences := range noRules {
		for _, sentence := range sentences {
			excused[sentence] = true
		}
	}
	for _, file := range documented {
		for _, sentence := range readSentences(t, file) {
			written[sentence] = true
			if excused[sentence] == quoted[sentence] {
				t.Errorf("%q: got by a case %t, in noRules %t, want one of them", sentence, quoted[sentence], excused[sentence])
			}
		}
	}
	maps.Copy(quoted, excused)
	for sentence := range quoted {
		if !written[sentence] {
			t.Errorf("%q: got no such sentence in %v, want it there or not quoted", sentence, documented)
		}
	}
}

// TestCases_Names checks that no two cases have the same name.
func TestCases_Names(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, c := range acquirertest.Cases() {
		if names[c.Name] {
			t.Errorf("got two cases %s, want one", c.Name)
		}
		names[c.Name] = true
	}
}

// readSentences returns the sentences of a file's comments. Each has the name of the documented thing as its prefix, as
// in "Acquirer.LookUp: Errors: ErrUnknownCharge.". The comments of None, and those within functions, are left out.
func readSentences(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	sentences := split("package "+parsed.Name.Name, parsed.Doc)
	for _, d := range parsed.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if name := receiver(d) + d.Name.Name; !strings.HasPrefix(name, "None.") {
				sentences = append(sentences, split(name, d.Doc)...)
			}
		case *ast.GenDecl:
			sentences = append(sentences, splitSpecs(d)...)
		}
	}
	return sentences
}

// receiver returns the type of a method's receiver and a dot, or "" for a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	of := d.Recv.List[0].Type
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	return of.(*ast.Ident).Name + "."
}

// splitSpecs returns the sentences about types with their fields and methods, constants and variables.
func splitSpecs(d *ast.GenDecl) []string {
	var sentences []string
	for i, item := range d.Specs {
		var group *ast.CommentGroup
		if i == 0 {
			group = d.Doc
		}
		switch item := item.(type) {
		case *ast.TypeSpec:
			if item.Name.Name != "None" {
				sentences = append(sentences, split(item.Name.Name, group, item.Doc, item.Comment)...)
			}
			ast.Inspect(item.Type, func(n ast.Node) bool {
				if f, ok := n.(*ast.Field); ok {
					field := append(f.Names, ast.NewIdent("embedded"))[0]
					sentences = append(sentences, split(item.Name.Name+"."+field.Name, f.Doc, f.Comment)...)
				}
				return true
			})
		case *ast.ValueSpec:
			sentences = append(sentences, split(item.Names[0].Name, group, item.Doc, item.Comment)...)
		}
	}
	return sentences
}

var sentenceEnd = regexp.MustCompile(`\. ([A-Z])`)

// split returns the sentences of the comments, each with the name as its prefix.
func split(name string, comments ...*ast.CommentGroup) []string {
	var sentences []string
	for _, c := range comments {
		text := strings.Join(strings.Fields(c.Text()), " ")
		if text == "" {
			continue
		}
		for s := range strings.SplitSeq(sentenceEnd.ReplaceAllString(text, ".\n$1"), "\n") {
			sentences = append(sentences, name+": "+s)
		}
	}
	return sentences
}
