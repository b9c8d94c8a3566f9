import "@ui5/webcomponents/dist/Select.js"
import "@ui5/webcomponents/dist/Option.js"
import "@ui5/webcomponents/dist/ComboBox.js"
import "@ui5/webcomponents/dist/ComboBoxItem.js"
import "@ui5/webcomponents/dist/Switch.js"
import "@ui5/webcomponents/dist/Panel.js"
import "@ui5/webcomponents/dist/StepInput.js"
app.innerHTML = `<ui5-select accessible-name=Size><ui5-option>Small</ui5-option><ui5-option>Large</ui5-option></ui5-select>
<ui5-combobox accessible-name=Fruit><ui5-cb-item text=Apple></ui5-cb-item><ui5-cb-item text=Banana></ui5-cb-item></ui5-combobox>
<ui5-switch accessible-name="Mail me"></ui5-switch><ui5-panel header-text=Delivery collapsed>Two days</ui5-panel><ui5-step-input accessible-name=Amount value=3></ui5-step-input>`
const $ = (s) => document.querySelector(s)
window.state = () => ({ size: $("ui5-select").selectedOption?.textContent, fruit: $("ui5-combobox").value, mail: $("ui5-switch").checked, delivery: !$("ui5-panel").collapsed, amount: $("ui5-step-input").value })
