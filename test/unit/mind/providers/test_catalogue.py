"""The models of a home over what is known of providers and models."""

import pytest
import yaml

from soul.mind.providers.catalogue import CatalogueError, ModelCatalogue
from soul.mind.providers.model_entry import FILE


def load(home, text):
    home.mkdir(exist_ok=True)
    (home / FILE).write_text(text)
    return ModelCatalogue.load(home)


def test_a_model_takes_from_its_provider_and_from_what_is_known_of_it(home):
    found = load(home, 'models:\n  - {provider: anthropic, model: claude-sonnet-4-5}\n')
    (model,) = found.models
    assert (model.name, model.protocol) == ('claude-sonnet-4-5', 'anthropic')
    assert model.base_url == 'https://api.anthropic.com/v1'
    assert model.window == 200_000
    assert model.pictures
    assert model.prices.cost(1_000_000, 0, 0, 0) == pytest.approx(3.0)
    assert model.prices.cost(0, 1_000_000, 1_000_000, 0) == pytest.approx(4.05)


def test_what_the_home_says_counts(home):
    found = load(
        home,
        """
providers:
  anthropic: {protocol: chat, base_url: "http://127.0.0.1:9/v1", keyless: true}
models:
  - {provider: anthropic, model: claude-sonnet-4-5, name: mine, window: 1000, prices: null}
  - {provider: somebody, base_url: "https://x.example/v1/", model: y, enabled: false}
""",
    )
    first, second = found.models
    assert (first.name, first.protocol, first.window, first.prices) == ('mine', 'chat', 1000, None)
    assert second.base_url == 'https://x.example/v1'
    assert [model.name for model in found.enabled] == ['mine']
    assert found.providers['anthropic'].keyless


def test_without_a_file_there_are_no_models_and_all_providers(home):
    found = ModelCatalogue.load(home)
    assert found.models == ()
    assert {'anthropic', 'openai', 'gemini', 'ollama', 'openrouter'} <= set(found.providers)
    assert 'anthropic/claude-sonnet-4-5' in found.known


def test_everything_that_is_known_can_be_taken(home):
    known = ModelCatalogue.load(home).known
    models = [dict(zip(('provider', 'model'), name.split('/', 1), strict=True)) for name in known]
    found = load(home, yaml.safe_dump({'models': models}))
    assert [f'{m.provider}/{m.model}' for m in found.models] == list(known)


@pytest.mark.parametrize(
    ('text', 'why'),
    [
        ('models: 3', 'models'),
        ('- a', '`models:` and a list'),
        ('models:\n  - 3', 'models'),
        ('models: [{provider: nobody, model: x}]', "provider 'nobody' is not known"),
        ('models: [{provider: ollama}]', r'models\[0\]'),
        ('models: [{provider: ollama, model: x, windov: 3}]', 'windov'),
        ('models: [{provider: ollama, model: x, window: -1}]', 'window'),
        ('models: [{provider: ollama, model: x, temperature: 9}]', 'temperature'),
        ('models: [{provider: ollama, model: x, base_url: "ftp://x"}]', 'no http'),
        ('models: [{provider: ollama, model: x, prices: {read: 1}}]', 'written'),
        ('models: [{provider: ollama, model: x}, {provider: ollama, model: x}]', 'two models'),
        ('models: [', 'no YAML'),
        ('providers: {a: {base_url: x, protocol: smoke}}', 'protocol'),
    ],
)
def test_what_is_wrong_is_named_with_its_file(home, text, why):
    with pytest.raises(CatalogueError, match=why) as error:
        load(home, text)
    assert str(home / FILE) in str(error.value)
