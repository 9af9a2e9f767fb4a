package main

import (
	"slices"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"

	"github.com/cashwrap/cashwrap/shared/app"
)

// secretLength in characters of the base64 alphabet, a multiple of four: 48 bytes, of which app.Config requires 32.
const secretLength = 64

// punctuation is excluded: letters and digits alone are base64. Emulators do not know ExcludePunctuation.
const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

// keyWaiting is for how many days a deleted key of dev can be restored: the least that KMS offers.
const keyWaiting = 7

// addSecrets adds the two secrets that keys are derived from (app's keys.go), generated at the first deployment, and
// seen by no person. To replace them, see infra/README.md, "Changing secrets".
//
// Functions get theirs in the environment, resolved by CloudFormation. Reading them at each cold start would cost a
// round trip and a third AWS client, and payments would fail while Secrets Manager does not answer. The price: the
// configuration has the values, so it is encrypted with the platform's own key, which a reader then needs; and new
// values take a deployment.
func (p *platform) addSecrets() {
	p.key = p.addKey("Key", "", "the platform's secrets and the functions' environments")
	p.secret = p.addSecret("Secret", "keys that can be rotated are derived from this")
	p.lastingSecret = p.addSecret("LastingSecret", "what merchants keep is derived from this")
}

func (p *platform) addKey(id, name, what string) awskms.Key {
	return awskms.NewKey(p.stack, &id, &awskms.KeyProps{
		Alias:             text("alias/" + p.name(name)),
		Description:       text("Cashwrap, " + p.Stage + ": " + what),
		EnableKeyRotation: yes,
		PendingWindow:     awscdk.Duration_Days(number(keyWaiting)),
		RemovalPolicy:     p.lasting(),
	})
}

func (p *platform) addSecret(id, what string) awssecretsmanager.Secret {
	secret := awssecretsmanager.NewSecret(p.stack, &id, &awssecretsmanager.SecretProps{
		Description: text("Cashwrap, " + p.Stage + ": " + what),
		GenerateSecretString: &awssecretsmanager.SecretStringGenerator{
			PasswordLength: number(secretLength), ExcludePunctuation: yes, ExcludeCharacters: text(punctuation),
		},
		RemovalPolicy: p.lasting(),
	})
	// As EncryptionKey it would get a policy with wildcards, for what the account may do anyway.
	secret.Node().DefaultChild().(awssecretsmanager.CfnSecret).SetKmsKeyId(p.key.KeyArn())
	return secret
}

// secretVariables are the secrets that a function uses, in its environment, as references that CloudFormation resolves.
func (p *platform) secretVariables(uses []app.Secret) map[string]*string {
	variables := map[string]*string{}
	if slices.Contains(uses, app.LastingSecret) {
		variables["LASTING_SECRET"] = valueOf(p.lastingSecret, p.LastingVersion)
	}
	if !slices.Contains(uses, app.PlatformSecret) {
		return variables
	}
	variables["PLATFORM_SECRET"], variables["PLATFORM_SECRET_SINCE"] = valueOf(p.secret, p.SecretVersion), &p.SecretSince
	if p.SecretPrevious != "" {
		variables["PLATFORM_SECRET_PREVIOUS"] = valueOf(p.secret, p.SecretPrevious)
		variables["PLATFORM_SECRET_PREVIOUS_SINCE"] = &p.SecretPreviousSince
	}
	return variables
}

// valueOf returns a version of the secret: the current one if version is empty.
func valueOf(secret awssecretsmanager.Secret, version string) *string {
	options := &awscdk.SecretsManagerSecretOptions{}
	if version != "" {
		options.VersionId = &version
	}
	return awscdk.SecretValue_SecretsManager(secret.SecretArn(), options).UnsafeUnwrap()
}
