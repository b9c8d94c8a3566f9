import AirDatepicker from "air-datepicker"
import en from "air-datepicker/locale/en"
import "air-datepicker/air-datepicker.css"
app.innerHTML = `<label>Arrival <input id=d></label>`
new (AirDatepicker.default ?? AirDatepicker)("#d", { locale: en.default ?? en, startDate: new Date(2026, 2, 1), dateFormat: "yyyy-MM-dd" })
window.state = () => ({ arrival: d.value })
