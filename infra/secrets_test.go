package main

import (
	"strings"
	"testing"
	"unicode"

	"github.com/cashwrap/cashwrap/functions"
)

// TestTheSecretIsDrawnOnDeployment: letters and digits, a multiple of four of
// them, are base64 of more than the 32 bytes that app.Config asks for.
func TestTheSecretIsDrawnOnDeployment(t *testing.T) {
	t.Parallel()
	s := inDev(t)
	for key := range s.all("AWS::KMS::Key") {
		s.has(t, "AWS::SecretsManager::Secret", map[string]any{
			"GenerateSecretString": map[string]any{"PasswordLength": secretLength, "ExcludePunctuation": true, "ExcludeCharacters": punctuation},
			"KmsKeyId":             arn(key),
		})
		s.has(t, "AWS::KMS::Key", map[string]any{"EnableKeyRotation": true})
	}
	for c := rune(' ' + 1); c < 0x7f; c++ {
		if letter := unicode.IsLetter(c) || unicode.IsDigit(c); letter == strings.ContainsRune(punctuation, c) {
			t.Errorf("%c: drawn %t", c, !strings.ContainsRune(punctuation, c))
		}
	}
	if secretLength%4 != 0 || secretLength/4*3 < 32 {
		t.Errorf("%d characters", secretLength)
	}
	for id, r := range s.all("AWS::SecretsManager::Secret") {
		if r.Properties["SecretString"] != nil {
			t.Errorf("%s has a value in the template", id)
		}
	}
}

// TestOnlyAReferenceToTheSecretIsInTheTemplate, under the platform's own key,
// and of one version when the operator names it.
func TestOnlyAReferenceToTheSecretIsInTheTemplate(t *testing.T) {
	t.Parallel()
	for stage, version := range map[string]string{dev: ":SecretString:::}}", prod: ":SecretString:::22222222-3333-4444-5555-666666666666}}"} {
		s := map[string]func(*testing.T) *synthesis{dev: inDev, prod: inProd}[stage](t)
		for secret := range s.all("AWS::SecretsManager::Secret") {
			want := plain(map[string]any{"Fn::Join": []any{"", []any{"{{resolve:secretsmanager:", ref(secret), version}}})
			for _, f := range functions.All {
				_, r := s.function(t, stage, f.Name)
				if got := plain(variables(r)["PLATFORM_SECRET"]); got != want {
					t.Errorf("%s, %s: %s, want %s", stage, f.Name, got, want)
				}
				if key, ok := r.Properties["KmsKeyArn"].(map[string]any); !ok || !strings.Contains(plain(key), "Key") {
					t.Errorf("%s, %s: the environment is under %v", stage, f.Name, r.Properties["KmsKeyArn"])
				}
			}
		}
	}
}

func TestNobodyElseMayReadTheSecret(t *testing.T) {
	t.Parallel()
	if text := inProd(t).text; strings.Contains(text, "secretsmanager:Get") {
		t.Error("some policy of the stack lets the secret be read")
	}
}
