package simulator_test

import (
	"regexp"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/simulator"
)

const (
	fileSeedsVariable = "CASHWRAP_SIM_FILE_SEEDS"
	defaultFileSeeds  = 40
)

// TestFileSeeds simulates uploads by links, and concurrent changes of files and collections: whatever fails, no content
// is lost or left, and records and objects agree.
func TestFileSeeds(t *testing.T) {
	runSeeds(t, simulator.Files, fileSeedsVariable, defaultFileSeeds)
}

// TestEachConditionOfFilesIsNeeded does the same as TestEachConditionIsNeeded with the conditions of files, of
// collections, and of the entries of objects.
func TestEachConditionOfFilesIsNeeded(t *testing.T) {
	mutations{
		workloads: []simulator.Workload{simulator.Files},
		included:  ofFiles.MatchString,
		survivors: fileSurvivors, noticedBy: noticedByFiles,
		quick: effort{scouts: 8, mutants: 60, survivors: 1},
		all:   effort{scouts: 20, mutants: 800, survivors: 20},
	}.test(t)
}

var ofFiles = regexp.MustCompile(`^\w+ (FILES?|COLLECTIONS?|OBJECT|FILES DELETED)( COUNT)?: `)

// fileSurvivors are the conditions whose removal no history can notice, and why.
var fileSurvivors = map[string]string{
	"Put OBJECT: (attribute_not_exists(pk))":    "its key is random; an operation that is repeated meets its file",
	"Update COLLECTION: (attribute_exists(pk))": "collections are never deleted",
}

// noticedByFiles are histories that notice that a condition is missing, as noticedBy.
var noticedByFiles = map[string]seedRun{
	"ConditionCheck COLLECTION: (status = ?)":                           {simulator.Files, 115},
	"ConditionCheck FILES DELETED: (attribute_not_exists(pk))":          {simulator.Files, 830},
	"Delete FILE: (version = ?)":                                        {simulator.Files, 19},
	"Delete OBJECT: (version = ?)":                                      {simulator.Files, 68},
	"Put COLLECTION: (attribute_not_exists(pk))":                        {simulator.Files, 333},
	"Put COLLECTION: (version = ?)":                                     {simulator.Files, 2},
	"Put FILE: (attribute_not_exists(pk))":                              {simulator.Files, 13},
	"Put FILE: (version = ?)":                                           {simulator.Files, 1},
	"Put OBJECT: (version = ?)":                                         {simulator.Files, 7},
	"Update COLLECTION: (attribute_exists(pk)) AND (status <> ?)":       {simulator.Files, 29},
	"Update COLLECTION: (status = ?)":                                   {simulator.Files, 5},
	"Update COLLECTIONS COUNT: (attribute_not_exists(pk) OR count < ?)": {simulator.Files, 4},
	"Update FILES COUNT: (attribute_not_exists(pk) OR count < ?)":       {simulator.Files, 23},
}
