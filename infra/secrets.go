package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"
)

// secretLength in characters of the base64 alphabet, a multiple of four: 48
// bytes, of which app.Config wants 32 at least.
const secretLength = 64

// punctuation is what a secret is drawn without: letters and digits alone are
// base64. ExcludePunctuation says it to AWS; emulators know the list only.
const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

// keyWaiting in days is how long a key of dev can be called back: the least
// KMS offers.
const keyWaiting = 7

// addSecrets makes the two secrets that every key is derived from (app's
// keys.go says which from which). They are drawn at the first deployment and
// never seen by anyone.
//
// Functions get them in their environment, resolved by CloudFormation while it
// deploys. Reading them at every start instead would cost each cold start a
// round trip and a third AWS client, and fail payments whenever Secrets
// Manager does not answer. The price: the values also lie in the functions'
// configuration, so that is encrypted under a key of the platform's own, and
// reading it takes that key besides the right to read the function; and a new
// value reaches the functions with the next deployment only.
//
// To rotate the platform secret, put a new value, then deploy with its
// VersionId as secretVersion and as secretSince a time by which the deployment
// has ended; with secretPrevious and secretPreviousSince as those two were
// (the VersionId of what was current until then). 31 days later deploy without
// the previous ones. Naming the versions lets all functions change in one
// deployment, and takes them back together when it fails.
//
// After a leak there is no previous one, and secretSince is now. The lasting
// secret is replaced only then: put a new value, and deploy with its VersionId
// as lastingVersion.
func (p *platform) addSecrets() {
	p.key = awskms.NewKey(p.stack, text("Key"), &awskms.KeyProps{
		Alias:             text("alias/" + p.name("")),
		Description:       text("Cashwrap, " + p.Stage + ": the platform's secrets and the functions' environments"),
		EnableKeyRotation: yes,
		PendingWindow:     awscdk.Duration_Days(number(keyWaiting)),
		RemovalPolicy:     p.lasting(),
	})
	p.secret = p.addSecret("Secret", "keys that can be rotated are derived from this",
		"It is rotated by an operator's command and a deployment that all functions change with, never by a timer.")
	p.lastingSecret = p.addSecret("LastingSecret", "what merchants hold on to is derived from this",
		"Merchants' callback secrets and saved cards' tokens are derived from it, so it is replaced only after a leak.")
}

func (p *platform) addSecret(id, what, unrotated string) awssecretsmanager.Secret {
	secret := awssecretsmanager.NewSecret(p.stack, &id, &awssecretsmanager.SecretProps{
		Description: text("Cashwrap, " + p.Stage + ": " + what),
		GenerateSecretString: &awssecretsmanager.SecretStringGenerator{
			PasswordLength: number(secretLength), ExcludePunctuation: yes, ExcludeCharacters: text(punctuation),
		},
		RemovalPolicy: p.lasting(),
	})
	// Given as EncryptionKey, it would get a policy with wildcards for what the account's own rights allow already.
	secret.Node().DefaultChild().(awssecretsmanager.CfnSecret).SetKmsKeyId(p.key.KeyArn())
	suppress(secret, "AwsSolutions-SMG4", unrotated)
	return secret
}

// secretVariables are those of a function's environment, as references that
// CloudFormation resolves.
func (p *platform) secretVariables() map[string]*string {
	variables := map[string]*string{
		"PLATFORM_SECRET":       valueOf(p.secret, p.SecretVersion),
		"PLATFORM_SECRET_SINCE": &p.SecretSince,
		"LASTING_SECRET":        valueOf(p.lastingSecret, p.LastingVersion),
	}
	if p.SecretPrevious != "" {
		variables["PLATFORM_SECRET_PREVIOUS"] = valueOf(p.secret, p.SecretPrevious)
		variables["PLATFORM_SECRET_PREVIOUS_SINCE"] = &p.SecretPreviousSince
	}
	return variables
}

// valueOf is a version of the secret; of none named, the current one.
func valueOf(secret awssecretsmanager.Secret, version string) *string {
	options := &awscdk.SecretsManagerSecretOptions{}
	if version != "" {
		options.VersionId = &version
	}
	return awscdk.SecretValue_SecretsManager(secret.SecretArn(), options).UnsafeUnwrap()
}
