package main

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/app"
)

// TestAddSecrets_Generated checks that secrets are base64: letters and digits, in a multiple of four. A secret must
// have at least the 32 bytes that app.Config requires.
func TestAddSecrets_Generated(t *testing.T) {
	t.Parallel()
	s := inDev(t)
	for _, key := range []string{s.keyOf(t, "environments")} {
		s.want(t, "AWS::SecretsManager::Secret", map[string]any{
			"GenerateSecretString": map[string]any{"PasswordLength": secretLength, "ExcludePunctuation": true,
				"ExcludeCharacters": punctuation},
			"KmsKeyId": arn(key),
		})
		s.want(t, "AWS::KMS::Key", map[string]any{"EnableKeyRotation": true})
	}
	for c := rune(' ' + 1); c < 0x7f; c++ {
		if letter := unicode.IsLetter(c) || unicode.IsDigit(c); letter == strings.ContainsRune(punctuation, c) {
			t.Errorf("%c: got generated %t, want %t", c, !letter, letter)
		}
	}
	if secretLength%4 != 0 || secretLength/4*3 < 32 {
		t.Errorf("got %d characters, want a multiple of four, of at least 32 bytes", secretLength)
	}
	for id, r := range s.all("AWS::SecretsManager::Secret") {
		if r.Properties["SecretString"] != nil || r.Properties["GenerateSecretString"] == nil {
			t.Errorf("%s: got %v, want it generated, with no value in the template", id, r.Properties)
		}
	}
}

// secretReference returns CloudFormation's reference to a version of a secret, or to the current version if version is
// empty.
func secretReference(secret, version string) string {
	return toJSON(map[string]any{"Fn::Join": []any{"", []any{"{{resolve:secretsmanager:", ref(secret),
		":SecretString:::" + version + "}}"}}})
}

// secretOf returns the id of the secret with the description.
func (s *synthesis) secretOf(t *testing.T, description string) string {
	t.Helper()
	for id, r := range s.all("AWS::SecretsManager::Secret") {
		if strings.Contains(r.Properties["Description"].(string), description) {
			return id
		}
	}
	t.Fatalf("got no secret with the description %q, want one", description)
	return ""
}

// TestSecretVariables_ReferencesOnly checks that variables are only references to the operator's versions of the
// secrets. The platform's own key must encrypt the environment.
func TestSecretVariables_ReferencesOnly(t *testing.T) {
	t.Parallel()
	for stage, want := range map[string]struct{ version, previous, since, previousSince, lasting, acquirer string }{
		dev: {since: always, acquirer: "null"},
		prod: {"22222222-3333-4444-5555-666666666666", "33333333-4444-5555-6666-777777777777",
			"2026-12-01T00:00:00Z", "2026-11-01T00:00:00Z", "44444444-5555-6666-7777-888888888888",
			`"{{resolve:secretsmanager:stripe:SecretString:::55555555-6666-7777-8888-999999999999}}"`},
	} {
		s := map[string]func(*testing.T) *synthesis{dev: inDev, prod: inProd}[stage](t)
		secret, lasting := s.secretOf(t, "can be rotated"), s.secretOf(t, "merchants keep")
		variable := map[string]string{"PLATFORM_SECRET": secretReference(secret, want.version),
			"PLATFORM_SECRET_SINCE": toJSON(want.since),
			"LASTING_SECRET":        secretReference(lasting, want.lasting), "PLATFORM_SECRET_PREVIOUS": "null",
			"PLATFORM_SECRET_PREVIOUS_SINCE": "null", "ACQUIRER_SECRET": want.acquirer}
		if want.previous != "" {
			variable["PLATFORM_SECRET_PREVIOUS"] = secretReference(secret, want.previous)
			variable["PLATFORM_SECRET_PREVIOUS_SINCE"] = toJSON(want.previousSince)
		}
		for _, f := range functions.All {
			_, r := s.function(t, stage, f.Name)
			uses := f.Access().Secrets
			for name, value := range variable {
				if !slices.ContainsFunc(uses, func(s app.Secret) bool { return strings.HasPrefix(name, string(s)) }) {
					value = "null"
				}
				if got := toJSON(variables(r)[name]); got != value {
					t.Errorf("%s, %s: got %s %s, want %s", stage, f.Name, name, got, value)
				}
			}
			want := "null"
			if len(uses) > 0 {
				want = toJSON(arn(s.keyOf(t, "environments")))
			}
			if got := toJSON(r.Properties["KmsKeyArn"]); got != want {
				t.Errorf("%s, %s: got environment under %s, want %s", stage, f.Name, got, want)
			}
		}
	}
}

func TestAddSecrets_NoPolicyAllowsReading(t *testing.T) {
	t.Parallel()
	if text := inProd(t).text; strings.Contains(text, "secretsmanager:Get") {
		t.Errorf("got template\n%s\nwant no secretsmanager:Get in it", text)
	}
}
