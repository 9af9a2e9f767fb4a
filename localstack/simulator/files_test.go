package simulator_test

import (
	"regexp"
	"testing"
)

const (
	fileSeedsVariable = "CASHWRAP_SIM_FILE_SEEDS"
	defaultFileSeeds  = 16
)

// TestRun_Files checks worlds of uploads by links, and of concurrent changes of files and collections.
func TestRun_Files(t *testing.T) {
	runSeeds(t, "files", fileSeedsVariable, defaultFileSeeds)
}

// TestMutation_FileConditions checks conditions of files, collections and objects' entries (TestMutation_Conditions).
func TestMutation_FileConditions(t *testing.T) {
	mutations{
		workloads: []string{"files"},
		included:  fileConditions.MatchString,
		survivors: fileSurvivors, scoutSeeds: 20, mutantSeeds: 400, survivorSeeds: 20,
	}.run(t)
}

var fileConditions = regexp.MustCompile(`^\w+ (FILES?|COLLECTIONS?|OBJECT|FILES DELETED)( COUNT)?: `)

// fileSurvivors lists the conditions whose removal no history can notice, and why.
var fileSurvivors = map[string]string{
	"Put OBJECT: (attribute_not_exists(pk))":    "its key is random; an operation that is repeated meets its file",
	"Update COLLECTION: (attribute_exists(pk))": "collections are never deleted",
}
