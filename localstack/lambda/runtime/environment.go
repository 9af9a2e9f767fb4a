package runtime

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
)

// environment is all a process gets: what Lambda sets (AWS: "Using Lambda environment variables") and the function's
// own, nothing of ours.
func (c Config) environment(api string, number int) []string {
	variables := map[string]string{
		"AWS_LAMBDA_RUNTIME_API":         api,
		"AWS_LAMBDA_FUNCTION_NAME":       c.Name,
		"AWS_LAMBDA_FUNCTION_VERSION":    "$LATEST",
		"AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
		"AWS_LAMBDA_LOG_FORMAT":          "JSON",
		"AWS_LAMBDA_LOG_GROUP_NAME":      "/aws/lambda/" + c.Name,
		"AWS_LAMBDA_LOG_STREAM_NAME":     strconv.Itoa(number),
		"AWS_DEFAULT_REGION":             c.Environment["AWS_REGION"],
		"LAMBDA_TASK_ROOT":               filepath.Dir(c.Program),
		"LAMBDA_RUNTIME_DIR":             "/var/runtime",
		"_HANDLER":                       bootstrap,
		"PATH":                           "/usr/local/bin:/usr/bin:/bin:/opt/bin",
		"LANG":                           "en_US.UTF-8",
		"TZ":                             ":UTC",
	}
	maps.Copy(variables, c.Environment)
	environment := make([]string, 0, len(variables))
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		environment = append(environment, name+"="+variables[name])
	}
	return environment
}
