package simulator_test

import (
	"regexp"
	"testing"
)

const (
	fileSeedsVariable = "CASHWRAP_SIM_FILE_SEEDS"
	defaultFileSeeds  = 16
)

// TestFileSeeds simulates uploads by links, and concurrent changes of files and collections: whatever fails, no content
// is lost or left, and records and objects agree.
func TestFileSeeds(t *testing.T) {
	runSeeds(t, "files", fileSeedsVariable, defaultFileSeeds)
}

// TestEachConditionOfFilesIsNeeded does the same as TestEachConditionIsNeeded with the conditions of files, of
// collections, and of the entries of objects.
func TestEachConditionOfFilesIsNeeded(t *testing.T) {
	mutations{
		workloads: []string{"files"},
		included:  ofFiles.MatchString,
		survivors: fileSurvivors, scouts: 20, mutants: 400, vain: 20,
	}.test(t)
}

var ofFiles = regexp.MustCompile(`^\w+ (FILES?|COLLECTIONS?|OBJECT|FILES DELETED)( COUNT)?: `)

// fileSurvivors are the conditions whose removal no history can notice, and why.
var fileSurvivors = map[string]string{
	"Put OBJECT: (attribute_not_exists(pk))":    "its key is random; an operation that is repeated meets its file",
	"Update COLLECTION: (attribute_exists(pk))": "collections are never deleted",
}
