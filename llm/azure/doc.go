// Package azure adapts the models that Azure serves: those of OpenAI, and others
// of its catalog that answer in the same format.
//
//	model, err := azure.New(azure.Options{
//		Deployment: "gpt-5", ResourceName: "contoso", APIKey: llm.NewSecret(key)})
//
// The caller is identified by a key, or by a token of Microsoft Entra ID: one that is
// at hand, or a function that gets one when it is needed. With the vendor's
// azidentity, which this package does not link, that is
//
//	Token: func(ctx context.Context) (llm.Secret, error) {
//		t, err := credential.GetToken(ctx, policy.TokenRequestOptions{Scopes: []string{azure.Scope}})
//		return llm.NewSecret(t.Token), err
//	}
//
// # Addresses
//
// Azure has two. The one in use today is the same for all deployments and
// needs no version, https://contoso.openai.azure.com/openai/v1/…; with
// [Options].DeploymentURLs it is the older one that names the deployment and the
// version of the interface, …/openai/deployments/gpt-5/…?api-version=….
//
// The translation is that of package llm/openai, on that vendor's SDK. The
// SDK's own part for Azure knows the older addresses alone, and brings the
// vendor's library for identities along.
package azure
