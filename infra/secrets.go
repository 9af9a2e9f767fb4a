package main

import (
	"slices"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"

	"github.com/cashwrap/cashwrap/shared/app"
)

// secretLength is the length of a secret in characters of the base64 alphabet. It must be a multiple of four. A secret
// of this length has 48 bytes, and app.Config requires at least 32.
const secretLength = 64

// punctuation has the characters that secrets must not contain, so that secrets are base64. Emulators do not support
// ExcludePunctuation.
const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

// keyWaitingDays limits how long a deleted key of dev can be restored. KMS offers no shorter time.
const keyWaitingDays = 7

// addSecrets adds the platform's two secrets, from which the platform derives its keys (app's keys.go). The first
// deployment generates the secrets, and no person sees them. To replace them, see infra/README.md, "Changing secrets".
//
// Functions get secrets in their environment, where CloudFormation inserts the values. If functions read the secrets at
// each cold start instead, they would need another round trip and a third AWS client. Payments would then fail while
// Secrets Manager does not answer. The price of our choice is that a function's configuration contains the values. So
// the platform's own key encrypts the configuration, and a reader of the configuration needs that key. New values also
// need a deployment.
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
		PendingWindow:     awscdk.Duration_Days(number(keyWaitingDays)),
		RemovalPolicy:     p.removalPolicy(),
	})
}

func (p *platform) addSecret(id, what string) awssecretsmanager.Secret {
	secret := awssecretsmanager.NewSecret(p.stack, &id, &awssecretsmanager.SecretProps{
		Description: text("Cashwrap, " + p.Stage + ": " + what),
		GenerateSecretString: &awssecretsmanager.SecretStringGenerator{
			PasswordLength: number(secretLength), ExcludePunctuation: yes, ExcludeCharacters: text(punctuation),
		},
		RemovalPolicy: p.removalPolicy(),
	})
	// If the key were set as EncryptionKey, it would get a policy with wildcards, for rights that the account has anyway.
	secret.Node().DefaultChild().(awssecretsmanager.CfnSecret).SetKmsKeyId(p.key.KeyArn())
	return secret
}

// secretVariables returns the variables for a function's secrets. Their values are references for CloudFormation.
func (p *platform) secretVariables(uses []app.Secret) map[string]*string {
	variables := map[string]*string{}
	if p.LiveAcquirer != "" && slices.Contains(uses, app.AcquirerSecret) {
		variables["ACQUIRER_SECRET"] = secretValue(p.AcquirerSecret, p.AcquirerSecretVersion)
	}
	if slices.Contains(uses, app.LastingSecret) {
		variables["LASTING_SECRET"] = secretValue(*p.lastingSecret.SecretArn(), p.LastingVersion)
	}
	if !slices.Contains(uses, app.PlatformSecret) {
		return variables
	}
	variables["PLATFORM_SECRET"], variables["PLATFORM_SECRET_SINCE"] = secretValue(*p.secret.SecretArn(), p.SecretVersion),
		&p.SecretSince
	if p.SecretPrevious != "" {
		variables["PLATFORM_SECRET_PREVIOUS"] = secretValue(*p.secret.SecretArn(), p.SecretPrevious)
		variables["PLATFORM_SECRET_PREVIOUS_SINCE"] = &p.SecretPreviousSince
	}
	return variables
}

// secretValue returns a version of the secret with the name or ARN, or the current version if version is empty.
func secretValue(secret, version string) *string {
	options := &awscdk.SecretsManagerSecretOptions{}
	if version != "" {
		options.VersionId = &version
	}
	return awscdk.SecretValue_SecretsManager(&secret, options).UnsafeUnwrap()
}
